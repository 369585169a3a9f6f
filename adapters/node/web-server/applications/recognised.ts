/**
 * What workers have recognised in the document roots of sites, as the primary knows
 * it. They tell of what they find first and of changes alone, so nothing is forgotten.
 */
export class RecognisedApplications {
  readonly #names = new Map<string, string | null>()

  /** Notes what a worker found; whether it is another one than was known. */
  note(site: string, application: string | null): boolean {
    const before = this.#names.get(site)
    this.#names.set(site, application)
    return before !== undefined && before !== application
  }

  /** Null: none, or nobody has looked yet. */
  of(site: string): string | null {
    return this.#names.get(site) ?? null
  }
}
