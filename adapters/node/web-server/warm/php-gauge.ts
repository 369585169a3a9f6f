import type { PhpOrigin } from '#handlers/sites/php-origin.ts'

/** A PHP origin that knows how many requests wait for the head of their answer. */
export const gaugePhp = (php: PhpOrigin): { php: PhpOrigin; running(): number } => {
  let running = 0
  return {
    php: {
      run: async (request, call) => {
        running++
        try {
          return await php.run(request, call)
        } finally {
          running--
        }
      },
    },
    running: () => running,
  }
}
