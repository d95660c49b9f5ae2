#!/bin/sh
# Transposed operands, as shares of the copy: sh bench/layouts.sh [DEVICE]. One row a case.
cd "$(dirname "$0")/.." || exit 2
device=${1:-cpu}

bench() {
    timeout 120 build/kfuse bench "$@" --device "$device" 2>&1 | grep -E ' (cold|warm) '
}

bench 'x.T + y' x='randn(4096,4096)' y='randn(4096,4096)'
bench 'x.T + y' x='randn(3000,5001)' y='randn(5001,3000)'
bench 'x.T + y' x='randn(4096,4096,dtype=bf16)' y='randn(4096,4096,dtype=bf16)'
bench 'x.T + y' x='full((8192,8192),3,dtype=i8)' y='full((8192,8192),4,dtype=i8)'
bench 'x.T + y' x='randn(4096,4096,dtype=f64)' y='randn(4096,4096,dtype=f64)'
bench 'x.T + y.T' x='randn(4096,4096)' y='randn(4096,4096)'
bench 'exp(x).T * y' x='randn(4096,4096)' y='randn(4096,4096)'
bench 'cast(x.T, bf16)' x='randn(4096,4096)'
bench 'x.T * 2' x='randn(4096,4096)'
bench 'relu(permute(x, (0, 3, 1, 2)) + y)' x='randn(32,56,56,64)' y='randn(32,64,56,56)'
bench 'relu(permute(x, (0, 2, 3, 1)) + y)' x='randn(32,64,56,56)' y='randn(32,56,56,64)'
bench 'permute(x, (0, 3, 1, 2)) / 255.0' x='full((64,224,224,3),7,dtype=u8)'
bench 'permute(x, (0, 3, 1, 2))' x='randn(64,224,224,3)'
bench 'permute(x, (0, 2, 3, 1))' x='randn(64,3,224,224)'
bench 'permute(x, (0, 3, 1, 2))' x='randn(64,224,224,3,dtype=bf16)'
bench 'cast(permute(x, (0, 2, 3, 1)) * 255, u8)' x='rand(64,3,224,224)'
bench '(permute_dims(x, (0, 3, 1, 2)) / 255 - m[:, None, None]) / s[:, None, None]' \
    x='full((64,224,224,3),7,dtype=u8)' m='rand(3)' s='full((3,),2)'
bench 'permute(x, (0, 3, 1, 2))' x='randn(64,224,224,4)'
bench 'permute(x, (0, 3, 1, 2))' x='randn(32,224,224,16)'
bench 'permute(x, (0, 3, 1, 2))' x='full((64,225,225,3),7,dtype=u8)'
bench 'x * s + m' x='randn(3000000,3)' m='randn(3)' s='randn(3)'
bench 'permute(x, (0, 2, 1, 3)) + y' x='randn(16,512,16,64)' y='randn(16,16,512,64)'
bench 'permute(x, (2, 1, 0)) + y' x='randn(256,256,256)' y='randn(256,256,256)'
bench 'dropout(x.T, 0.1, 7) + y' x='randn(4096,4096)' y='randn(4096,4096)'
bench 'sum(x.T, axis=-1)' x='randn(4096,4096)'
bench 'sum(x.T, axis=0)' x='randn(4096,4096)'
bench 'softmax(x.T, axis=-1)' x='randn(4096,4096)'
bench 'layer_norm(x.T + y)' x='randn(4096,4096)' y='randn(4096,4096)'
