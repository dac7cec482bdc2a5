// Steps of gradient descent: every weight by itself, so that one pass over memory is enough. REAL is float or double.

// AdaGrad on the mean gradient of `rows` rows and the penalty, and the average of the weights on their way.
extern "C" __global__ void adagrad(REAL* weights, REAL* squares, REAL* averages, const REAL* gradients, long long size,
                                   REAL rows, REAL alpha, REAL rate, REAL share)
{
    for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < size;
         i += (long long)gridDim.x * blockDim.x) {
        const REAL gradient = gradients[i] / rows + alpha * weights[i];
        const REAL square = squares[i] + gradient * gradient;
        const REAL weight = weights[i] - rate * (gradient / (sqrt(square) + (REAL)1e-12));
        squares[i] = square;
        weights[i] = weight;
        averages[i] += share * (weight - averages[i]);
    }
}
