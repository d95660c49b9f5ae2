/* One call: text and arrays in, a result out. What is compiled stays in the context and on disk. */
#include <kfuse/kfuse.h>
#include <stdio.h>

int main(void) {
    float x[] = {0, 1, 2, 3}, y[] = {0, -1, -2, -2.5f};
    int64_t shape[] = {4};
    kf_array inputs[] = {{x, {KF_CPU, 0}, 1, KF_F32, shape, NULL, 0},
                         {y, {KF_CPU, 0}, 1, KF_F32, shape, NULL, 0}};
    kf_array out = {0};
    kf_error err = {0};
    kf_context *ctx = kf_context_create(NULL, &err);
    if (!ctx || kf_eval(ctx, "exp((x + y) * 2)", 2, inputs, 1, &out, &err) != KF_OK) {
        fprintf(stderr, "%s\n", err.message);
        kf_context_free(ctx);
        return 1;
    }
    for (int i = 0; i < 4; i++) printf("%g\n", (double)((float *)out.data)[i]);
    kf_array_free(ctx, &out);
    kf_context_free(ctx);
    return 0;
}
