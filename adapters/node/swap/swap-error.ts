/** A failure of a swap with a text for the person at the terminal: what, why, and how to fix it. */
export class SwapError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'SwapError'
  }
}
