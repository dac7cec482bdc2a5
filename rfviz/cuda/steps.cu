// Steps of gradient descent: every weight, and every row, by itself, so that one pass is enough. REAL is float or double.

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

// The logistic loss of each row and its derivative by the row's scores. With one column the first of two classes has
// the score 0.
extern "C" __global__ void softmax_loss(REAL* gradients, REAL* losses, const REAL* scores, const long long* labels,
                                        long long rows, long long columns)
{
    const REAL zero = (REAL)0;
    for (long long row = (long long)blockIdx.x * blockDim.x + threadIdx.x; row < rows;
         row += (long long)gridDim.x * blockDim.x) {
        const REAL* own = scores + row * columns;
        const long long truth = columns > 1 ? labels[row] : labels[row] - 1;  // its column, -1 where it has none
        REAL largest = columns > 1 ? own[0] : zero;
        for (long long j = 0; j < columns; ++j) largest = own[j] > largest ? own[j] : largest;
        REAL total = columns > 1 ? zero : exp(-largest);
        for (long long j = 0; j < columns; ++j) total += exp(own[j] - largest);
        losses[row] = log(total) - ((truth < 0 ? zero : own[truth]) - largest);
        for (long long j = 0; j < columns; ++j)
            gradients[row * columns + j] = exp(own[j] - largest) / total - (REAL)(j == truth);
    }
}
