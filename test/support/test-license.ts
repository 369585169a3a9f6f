import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { newLicenseKeys, signLicense } from '#handlers/domain/license/license-file.ts'

/** A licence of a test. */
export interface TestLicense {
  /** Lines for `[panel]`. */
  settings: string
  /** Removes its files. */
  remove(): void
}

/** A signed licence without limits. */
export const testLicense = async (tier: 'pro' | 'business'): Promise<TestLicense> => {
  const { privateKey, publicKey } = await newLicenseKeys()
  const text = await signLicense(
    {
      holder: 'Test',
      tier,
      accounts_limit: -1,
      domains_limit: -1,
      issued_at: '2026-01-01',
      expires_at: null,
    },
    privateKey,
  )
  const dir = mkdtempSync(join(tmpdir(), 'bl-'))
  chmodSync(dir, 0o755)
  const file = join(dir, 'license.json')
  const key = join(dir, 'license.pub')
  writeFileSync(file, text, { mode: 0o644 })
  writeFileSync(key, publicKey, { mode: 0o644 })
  return {
    settings: `license_file = "${file}"\nlicense_public_key_file = "${key}"`,
    remove: () => rmSync(dir, { recursive: true, force: true }),
  }
}

export const businessLicense = (): Promise<TestLicense> => testLicense('business')
