import { readFile, stat } from 'node:fs/promises'
import type { PanelConfig } from '#handlers/domain/config/config-types.ts'
import { readLicense } from '#handlers/domain/license/license-file.ts'
import type { LicenseReading } from '#handlers/domain/license/license-file.ts'
import type { Clock } from '#handlers/ports/clock.ts'
import type { License, LicensePort } from '#handlers/ports/license.ts'
import type { Log } from '#handlers/ports/log.ts'
import { communityLicense } from '#handlers/services/host/community-license.ts'

/** A licence is some hundred bytes. */
const MAX_BYTES = 65_536

/** What tells a changed file from the one that was read. */
const versionOf = async (file: string): Promise<string> => {
  const { mtimeMs, ctimeMs, size, ino } = await stat(file)
  if (size > MAX_BYTES) throw new Error(`it is larger than ${MAX_BYTES} bytes`)
  return `${mtimeMs}/${ctimeMs}/${size}/${ino}`
}

const reason = (error: unknown): string =>
  error instanceof Error && 'code' in error && error.code === 'ENOENT'
    ? 'the file does not exist'
    : error instanceof Error
      ? error.message
      : String(error)

/**
 * The licence in force. Without a licence file it is Community, and valid. A
 * file that cannot be read, is not signed by `license_public_key_file` or has
 * expired leaves Community limits; why is logged once and shown. The files are
 * looked at on every call, so a new licence needs no restart.
 */
export const createLicense = (
  config: Pick<PanelConfig, 'license_file' | 'license_public_key_file'>,
  { clock, log }: { clock: Clock; log: Log },
): LicensePort => {
  const { license_file: file, license_public_key_file: keyFile } = config
  if (file === null) return communityLicense
  let seen = ''
  let texts: { license: string; key: string } | null = null
  let logged: string | null = null

  const read = async (): Promise<LicenseReading> => {
    if (keyFile === null) {
      const problem = 'no public key is configured; set [panel] license_public_key_file'
      return { ok: false, problem, terms: null }
    }
    let current = file
    try {
      const version = await versionOf(file)
      current = keyFile
      const both = `${version} ${await versionOf(keyFile)}`
      if (texts === null || seen !== both) {
        const key = await readFile(keyFile, 'utf8')
        current = file
        texts = { license: await readFile(file, 'utf8'), key }
        seen = both
      }
    } catch (error) {
      texts = null
      const subject = current === file ? '' : `its public key ${keyFile} is not readable: `
      return { ok: false, problem: subject + reason(error), terms: null }
    }
    return readLicense(texts.license, texts.key, clock.nowMs())
  }

  return {
    async current(): Promise<License> {
      const reading = await read()
      if (reading.ok) {
        if (logged !== null) log.info('the licence is honoured again', { file })
        logged = null
        const { issued_at: _, ...terms } = reading.terms
        return { ...terms, valid: true, problem: null }
      }
      const problem = `The licence ${file} is not honoured: ${reading.problem}. Community limits apply; nothing existing is taken down.`
      if (logged !== problem) log.warn('licence not honoured', { file, problem: reading.problem })
      logged = problem
      return {
        ...(await communityLicense.current()),
        valid: false,
        problem,
        holder: reading.terms?.holder ?? null,
        expires_at: reading.terms?.expires_at ?? null,
      }
    },
  }
}
