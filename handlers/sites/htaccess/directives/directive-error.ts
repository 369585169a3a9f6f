/** A directive that cannot be understood: the directory answers 500 until it is put right. */
export class DirectiveError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'DirectiveError'
  }
}
