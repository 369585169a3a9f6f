import type { SurveyedArchive } from '#handlers/domain/foreign-archives/foreign-account.ts'
import { isControlFile, isHomeMember } from '#handlers/domain/foreign-archives/foreign-archives.ts'
import { AppError } from '#handlers/errors.ts'
import { readTar } from '../../archives/tar-reader.ts'
import type { TarLimits } from '../../archives/tar-reader.ts'
import { openCompressed } from './open-compressed.ts'

/** No description of one domain or database is longer. */
const MAX_TEXT_BYTES = 256 * 1024
const MAX_TEXTS_BYTES = 32 * 2 ** 20
/** Members that describe, beside those of homes. */
const MAX_NAMES = 100_000

const tooMuch = (): AppError =>
  new AppError(413, 'The archive describes more than an account can have.')

/** The bytes of a name as the text that it is. */
const textOfName = (name: string): string => Buffer.from(name, 'latin1').toString('utf8')

const textOf = async (content: AsyncIterable<Buffer>): Promise<string> => {
  const chunks: Buffer[] = []
  for await (const chunk of content) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}

/**
 * Goes once through another panel's archive and keeps what describes its account:
 * names, and the texts of small files. Nothing is written. 409 and 413 as `readTar`.
 */
export const surveyArchive = async (file: string, limits: TarLimits): Promise<SurveyedArchive> => {
  const names: string[] = []
  const texts = new Map<string, string>()
  let textBytes = 0
  await readTar(await openCompressed(file), limits, async (entry, content) => {
    const name = textOfName(entry.name)
    if (isHomeMember(name) || entry.type === 'other') return
    // A folder counts where it is all there is of a thing.
    if (names.push(entry.type === 'directory' ? `${name}/` : name) > MAX_NAMES) throw tooMuch()
    if (entry.type !== 'file' || !isControlFile(name) || entry.sizeBytes > MAX_TEXT_BYTES) return
    textBytes += entry.sizeBytes
    if (textBytes > MAX_TEXTS_BYTES) throw tooMuch()
    texts.set(name, await textOf(content))
  })
  return { names, texts }
}
