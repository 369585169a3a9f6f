import { isAppError } from '../../../errors.ts'

/** What a restore of settings did not take over, in sentences. */
export interface Told {
  note(text: string): void
  /** Does one thing; what refuses it is told, and the rest goes on. What cannot be done at present is thrown. */
  tried(what: string, work: () => Promise<unknown>): Promise<void>
}

/** Collects into `notes`, each sentence once. */
export const createTold = (notes: string[]): Told => {
  const note = (text: string): void => void (notes.includes(text) || notes.push(text))
  return {
    note,
    async tried(what, work) {
      try {
        await work()
      } catch (error) {
        if (!isAppError(error) || error.status >= 500) throw error
        note(`${what} stays as it is: ${error.message}`)
      }
    },
  }
}
