/** A failure of the service with a text for the person at the terminal: what, why, and how to fix it. */
export class ServiceError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'ServiceError'
  }
}
