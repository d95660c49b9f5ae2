#!/bin/sh
# Run libFuzzer's targets: run.sh [SECONDS] [text|npy ...]. Builds build-fuzz with clang, begins with
# the committed corpus and the texts of the golden files, keeps what it finds in build-fuzz/corpus.
#   KFUSE_FUZZ_KEEP=1   afterwards add to tests/fuzz/corpus what covers more than is there
# What crashes is build-fuzz/found/NAME-crash-...: mend it, and copy it to the corpus.
cd "$(dirname "$0")/../../.." || exit 2
seconds=${1:-60}
[ $# -eq 0 ] || shift
targets=${*:-text npy}
work=build-fuzz
mkdir -p $work/corpus/text $work/corpus/npy $work/found tests/fuzz/corpus/text

cmake -S . -B $work -DCMAKE_C_COMPILER=clang -DCMAKE_BUILD_TYPE=RelWithDebInfo \
    -DCMAKE_C_FLAGS_RELWITHDEBINFO="-O1 -g" -DKFUSE_OPENMP=OFF -DKFUSE_FUZZ_TARGETS=ON \
    -DKFUSE_DEBUG_VERIFY=ON -DKFUSE_SANITIZE=address,undefined -DBUILD_TESTING=OFF \
    >$work/build.log 2>&1 || { cat $work/build.log; exit 2; }
cmake --build $work -j2 --target kfuse_command fuzz_text fuzz_npy >>$work/build.log 2>&1 ||
    { cat $work/build.log; exit 2; }


# Seeds: every text of parse.txt, every golden file, every file of the library.
sed -n 's/^> //p' tests/golden/parse.txt | split -l 1 -a 4 - $work/corpus/text/parse-
cp tests/golden/*.kf src/library/*.kf $work/corpus/text/
# Words: the operators and keywords, and all that can be called.
{
    sed -n 's/^TOKEN([A-Z_]*, \("..*"\))$/\1/p' src/parse/tokens.def
    $work/kfuse ops --json - 2>/dev/null | sed -n 's/.*"name": \("[^"]*"\).*/\1/p'
    sed -n 's/^ALIAS(\("[^"]*"\).*/\1/p' src/parse/builtins.def
    printf '"%s"\n' axis keepdims shape ndim dtype size pi inf nan f32 f16 i8 bool ':-1' '::-1'
} >$work/text.dict
printf '"%s"\n' "'descr'" "'fortran_order'" "'shape'" '<f4' '|V2' '>i8' '|O' True False \
    '\x93NUMPY' >$work/npy.dict

result=0
for target in $targets; do
    nice -n 19 $work/fuzz_"$target" -max_total_time="$seconds" -timeout=25 -rss_limit_mb=3000 \
        -dict=$work/"$target".dict -max_len=2000 -artifact_prefix=$work/found/"$target"- \
        -print_final_stats=1 $work/corpus/"$target" tests/fuzz/corpus/"$target" || result=1
    [ -n "$KFUSE_FUZZ_KEEP" ] || continue
    nice -n 19 $work/fuzz_"$target" -merge=1 -timeout=25 -rss_limit_mb=3000 \
        tests/fuzz/corpus/"$target" $work/corpus/"$target" || result=1
done
exit $result
