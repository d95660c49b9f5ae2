#!/bin/sh
# Gathers, pads, concatenations and what else reads at indices, as shares of the copy: each case is
# checked against the oracle at a small size first. sh bench/joins.sh [DEVICE]. One row a case; its
# bytes count an array that is gathered from once, however many of its rows are read.
cd "$(dirname "$0")/.." || exit 2
device=${1:-cpu}

# bench TEXT SMALL... -- LARGE...
bench() {
    text=$1
    shift
    small=
    while [ "$1" != -- ]; do
        small="$small $1"
        shift
    done
    shift
    # shellcheck disable=SC2086
    if ! timeout 120 build/kfuse check "$text" $small --device "$device" >/dev/null; then
        echo "WRONG: $text $small"
        return
    fi
    timeout 120 build/kfuse bench "$text" "$@" --device "$device" 2>&1 | grep -E ' (cold|warm) '
}

# rotary TEXT FEW MANY: of an embedding of x with cosines c and sines s, so many a position
rotary() {
    for type in f32 bf16; do
        bench "$1" "x=randn(2,3,5,8,dtype=$type)" "c=randn(5,$2,dtype=$type)" \
            "s=randn(5,$2,dtype=$type)" -- "x=randn(8,32,2048,128,dtype=$type)" \
            "c=randn(2048,$3,dtype=$type)" "s=randn(2048,$3,dtype=$type)"
    done
}

bench 'x + 1' 'x=randn(37,41)' -- 'x=randn(8192,1024)'
for type in f32 bf16; do
    bench 'take(w, i, axis=0)' "w=randn(99,64,dtype=$type)" 'i=randint(-99,99,(50,))' -- \
        "w=randn(50000,1024,dtype=$type)" 'i=randint(0,50000,(50000,))'
    bench 'embedding(i, w) * 2 + y' "w=randn(99,61,dtype=$type)" 'i=randint(0,99,(5,7))' \
        "y=randn(5,7,61,dtype=$type)" -- "w=randn(8192,1024,dtype=$type)" \
        'i=randint(0,8192,(64,128))' "y=randn(64,128,1024,dtype=$type)"
done
bench 'layer_norm(w[i])' 'w=randn(99,64)' 'i=randint(0,99,(50,))' -- 'w=randn(8192,1024)' \
    'i=randint(0,8192,(8192,))'
bench 'take_along_axis(x, i, axis=1)' 'x=randn(33,65)' 'i=randint(0,65,(33,65))' -- \
    'x=randn(4096,1024)' 'i=randint(0,1024,(4096,1024))'
bench 'take_along_axis(x, i, axis=0)' 'x=randn(33,65)' 'i=randint(0,33,(33,65))' -- \
    'x=randn(4096,1024)' 'i=randint(0,4096,(4096,1024))'
bench 'argmax(x, axis=1)' 'x=randn(33,65)' -- 'x=randn(8192,4096)'
bench 'argmax(x, axis=0)' 'x=randn(33,65)' -- 'x=randn(8192,4096)'
for axis in 0 1; do
    bench "concatenate([x, y], axis=$axis)" 'x=randn(33,65)' 'y=randn(33,65)' -- \
        'x=randn(4096,1024)' 'y=randn(4096,1024)'
    bench "concatenate([x, y], axis=$axis)" 'x=randn(33,65,dtype=bf16)' \
        'y=randn(33,65,dtype=bf16)' -- 'x=randn(8192,4096,dtype=bf16)' 'y=randn(8192,4096,dtype=bf16)'
    bench "concatenate([gelu(x), silu(y)], axis=$axis)" 'x=randn(33,65)' 'y=randn(33,65)' -- \
        'x=randn(8192,2048)' 'y=randn(8192,2048)'
done
bench 'concatenate([x, y], axis=1)' 'x=randn(33,65)' 'y=randn(33,33)' -- 'x=randn(40960,200)' \
    'y=randn(40960,101)'
bench 'concatenate([softmax(x), y], axis=1)' 'x=randn(33,65)' 'y=randn(33,33)' -- \
    'x=randn(8192,2048)' 'y=randn(8192,2048)'
bench 'concatenate([softmax(x), y])' 'x=randn(33,65)' 'y=randn(34,65)' -- 'x=randn(8192,2048)' \
    'y=randn(8192,2048)'
bench 'stack([x, y], axis=-1)' 'x=randn(33,65)' 'y=randn(33,65)' -- 'x=randn(4096,2048)' \
    'y=randn(4096,2048)'
bench 'stack([x, y], axis=-1)' 'x=randn(33,65,dtype=bf16)' 'y=randn(33,65,dtype=bf16)' -- \
    'x=randn(4096,4096,dtype=bf16)' 'y=randn(4096,4096,dtype=bf16)'
bench 'x[..., ::2] + x[..., 1::2]' 'x=randn(33,66)' -- 'x=randn(4096,4096)'
rotary 'a = x[..., ::2]; b = x[..., 1::2]; reshape(stack([a * c - b * s, a * s + b * c], axis=-1), x.shape)' 4 64
bench 'pad(x, 1)' 'x=randn(33,65)' -- 'x=randn(4096,1024)'
bench 'pad(x, 1)' 'x=randn(33,65,dtype=bf16)' -- 'x=randn(4096,4096,dtype=bf16)'
bench 'pad(x, 1)' 'x=randint(0,99,(33,65),dtype=i8)' -- 'x=full((8192,8192),3,dtype=i8)'
for mode in edge reflect; do
    bench "pad(x, 1, mode='$mode')" 'x=randn(33,65)' -- 'x=randn(4096,4096)'
    bench "pad(x, 1, mode='$mode')" 'x=randn(33,65,dtype=bf16)' -- 'x=randn(4096,4096,dtype=bf16)'
done
bench 'pad(x.T, 1)' 'x=randn(33,65)' -- 'x=randn(4096,4096)'
rotary 'h = x.shape[-1] // 2; r = concatenate([-x[..., h:], x[..., :h]], axis=-1); x * c + r * s' 8 128
bench 'randn((8192, 4096))' -- # one write of as many
bench 'x + randn(x.shape)' 'x=randn(33,65)' -- 'x=randn(4096,4096)'
