# SPDX-License-Identifier: GPL-3.0-or-later
# Makes statistics.h, the figures that tests/unit/stats compare with:  Rscript statistics.R > statistics.h
# Needs R and limma (Debian: r-base-core, r-bioc-limma). The project itself needs neither.
suppressMessages(library(limma))
num <- function(x) ifelse(is.infinite(x), ifelse(x > 0, "INFINITY", "-INFINITY"), ifelse(is.na(x), "NAN", sprintf("%.17g", x)))
rows <- function(type, name, fields, table) {
  cat(sprintf("static const struct %s {\n    double %s;\n} %s[] = {\n", type, fields, name))
  for (i in seq_len(nrow(table))) cat("    {", paste(num(unlist(table[i, ])), collapse = ", "), "},\n")
  cat("};\n\n")
}
list_of <- function(name, x) cat(sprintf("static const double %s[] = { %s };\n", name, paste(num(x), collapse = ", ")))

cat("/* SPDX-License-Identifier: GPL-3.0-or-later */\n")
cat(sprintf("/* Made by statistics.R with R %s.%s and limma %s. */\n", R.version$major, R.version$minor, packageVersion("limma")))
cat("#ifndef PLIMSOLL_TESTS_GOLDEN_STATISTICS_H\n#define PLIMSOLL_TESTS_GOLDEN_STATISTICS_H\n\n#include <math.h>\n\n")

t <- expand.grid(t = c(0, 0.1, 1, 2.5, 6, 40), df = c(0.5, 1, 2, 3.7, 9, 30, 31, 47.25, 300, 1e5, Inf))
rows("golden_t", "GOLDEN_T", "t, df, two_sided", data.frame(t$t, t$df, 2 * pt(-t$t, t$df)))
q <- expand.grid(p = c(0.0001, 0.025, 0.05, 0.5, 0.95, 0.975, 0.999, 0.99999), df = c(0.7, 1, 2, 3.7, 9, 30, 31, 47.25, 300, 1e5, Inf))
rows("golden_t_quantile", "GOLDEN_T_QUANTILE", "p, df, t", data.frame(q$p, q$df, qt(q$p, q$df)))
x <- c(1e-4, 0.1, 0.5, 1, 1.5, 2, 7.3, 45, 1000, 1e6)
rows("golden_gamma", "GOLDEN_GAMMA", "x, digamma, trigamma", data.frame(x, digamma(x), trigamma(x)))
y <- c(1e-8, 1e-5, 0.003, 0.1, 0.644934, 1, 1.6449, 20, 4000, 2e7)
rows("golden_trigamma_inverse", "GOLDEN_TRIGAMMA_INVERSE", "y, x", data.frame(y, trigammaInverse(y)))

p <- c(0.01, 0.04, 0.03, 0.005, 0.5, 0.04, 1, 0.0001, 0.2)
list_of("GOLDEN_P", p)
list_of("GOLDEN_HOLM", p.adjust(p, "holm"))
list_of("GOLDEN_BH", p.adjust(p, "BH"))
cat("\n")

f <- rbind(c(3, 10, 1, 12), c(0, 10, 0, 10), c(0, 10, 10, 10), c(5, 1000, 15, 1000), c(1, 3, 2, 9), c(120, 100000, 80, 100000),
           c(7, 8, 2, 9), c(0, 1, 1, 1), c(2, 5, 400, 1000))
fisher <- apply(f, 1, function(r) fisher.test(matrix(c(r[1], r[2] - r[1], r[3], r[4] - r[3]), 2))$p.value)
rows("golden_fisher", "GOLDEN_FISHER", "a, n_a, b, n_b, p", data.frame(f, fisher))

# Two groups of n samples in each of the cells, noise of 1 to 8 %, and what eBayes makes of them.
moderated <- function(tag, cells, n, sigma) {
  y <- matrix(rnorm(cells * 2 * n, 8, sigma), cells)
  fit <- eBayes(lmFit(y, cbind(1, rep(0:1, each = n))))
  cat(sprintf("enum { %s_CELLS = %d, %s_N = %d };\n", tag, cells, tag, n))
  list_of(paste0(tag, "_Y"), as.vector(t(y)))
  list_of(paste0(tag, "_S2"), fit$sigma^2)
  list_of(paste0(tag, "_EFFECT"), fit$coefficients[, 2])
  list_of(paste0(tag, "_T"), fit$t[, 2])
  list_of(paste0(tag, "_P"), fit$p.value[, 2])
  list_of(paste0(tag, "_PRIOR"), c(fit$df.prior, fit$s2.prior))
  cat("\n")
}
set.seed(5)
moderated("MODERATED_MIXED", 12, 3, exp(runif(12, log(0.01), log(0.08))))
moderated("MODERATED_MANY", 30, 3, exp(runif(30, log(0.01), log(0.08))))
moderated("MODERATED_ALIKE", 10, 4, rep(0.03, 10))

# Unequal degrees of freedom and a variance of zero.
s2 <- c(1e-4, 3e-4, 0, 8e-4, 2e-3, 5e-5, 1.2e-3)
df <- c(2, 4, 4, 3, 2, 6, 4)
prior <- suppressWarnings(fitFDist(s2, df))
list_of("UNEQUAL_S2", s2)
list_of("UNEQUAL_DF", df)
list_of("UNEQUAL_PRIOR", c(prior$df2, prior$scale))
# The worked example of moderate.h.
s2 <- c(1, 2, 4, 8, 16) * 1e-4
prior <- fitFDist(s2, 4)
list_of("EXAMPLE_S2", s2)
list_of("EXAMPLE_PRIOR", c(prior$df2, prior$scale))
list_of("EXAMPLE_POSTERIOR", (prior$df2 * prior$scale + 4 * s2) / (prior$df2 + 4))
cat("\n#endif\n")
