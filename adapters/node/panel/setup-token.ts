import { readFileSync } from 'node:fs'

/** The token that setup asks for; null when `[panel] setup_token_file` is not set. */
export const readSetupToken = (file: string | null): string | null => {
  if (file === null) return null
  const token = readFileSync(file, 'utf8').trim()
  if (token === '') {
    throw new Error(
      `${file} (setup_token_file) is empty. Write a token into it, or remove the key.`,
    )
  }
  return token
}
