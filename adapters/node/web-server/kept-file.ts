import { mkdirSync } from 'node:fs'
import { open, rename } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Log } from '#handlers/ports/log.ts'

/** What a process knows and keeps in a JSON file, for the next that takes its place. */
export class KeptFile {
  readonly #file: string
  readonly #value: () => unknown
  readonly #failed: (error: unknown) => void
  #isSaved = true
  #saving: Promise<void> = Promise.resolve()

  /** `value` is asked for when it is written; `complaint` is what the log says where it cannot be. */
  constructor(file: string, value: () => unknown, log: Pick<Log, 'warn'>, complaint: string) {
    this.#file = file
    this.#value = value
    this.#failed = (error) => log.warn(complaint, { file, error: String(error) })
  }

  /**
   * Resolves when what is known now is in the file, or was complained of. What changes
   * while a write is under way goes together in the next.
   */
  save(): Promise<void> {
    if (this.#isSaved) {
      this.#isSaved = false
      this.#saving = this.#saving.then(() => this.#write())
    }
    return this.#saving
  }

  async #write(): Promise<void> {
    this.#isSaved = true
    const fresh = `${this.#file}.new`
    try {
      mkdirSync(dirname(this.#file), { recursive: true, mode: 0o700 })
      const file = await open(fresh, 'w', 0o600)
      try {
        await file.writeFile(JSON.stringify(this.#value()))
        // After a power cut the name must not lead to an empty file.
        await file.sync()
      } finally {
        await file.close()
      }
      await rename(fresh, this.#file)
      // Nor to the file of before: what was told is known after it as well.
      const directory = await open(dirname(this.#file), 'r')
      try {
        await directory.sync()
      } finally {
        await directory.close()
      }
    } catch (error) {
      this.#failed(error)
    }
  }
}
