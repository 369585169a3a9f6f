import type { PhpOrigin } from '#handlers/sites/origins/php-origin.ts'

/** A PHP origin that knows how many requests wait for the head of their answer. */
export const gaugePhp = (php: PhpOrigin): { php: PhpOrigin; running(): number } => {
  let running = 0
  const settled = (): void => {
    running--
  }
  return {
    php: {
      run: (request, call) => {
        running++
        const answer = php.run(request, call)
        answer.then(settled, settled)
        return answer
      },
    },
    running: () => running,
  }
}
