import { rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createLicense } from '#adapters/node/panel/license.ts'
import type { LicenseTerms } from '#handlers/domain/license/license-file.ts'
import { newLicenseKeys, readLicense, signLicense } from '#handlers/domain/license/license-file.ts'
import { adminClient, createAccount, newAccount } from '#test/contract/frame/api-instance.ts'
import { createFakeClock } from '#test/fakes/fake-clock.ts'
import { createRecordingLog } from '#test/fakes/recording-log.ts'
import { makeNodeApi } from '#test/node/contract/api-node.ts'
import { temporaryDirectory } from '#test/support/setups/temporary-directory.ts'

const PRO: LicenseTerms = {
  holder: 'Example Ltd',
  tier: 'pro',
  accounts_limit: 50,
  domains_limit: 250,
  issued_at: '2026-01-01',
  expires_at: '2027-12-31',
}
const NOW = Date.parse('2026-11-21T12:00:00Z')
const COMMUNITY = { tier: 'community', accounts_limit: 5, domains_limit: 10 }

describe('licence file', () => {
  let keys: { privateKey: string; publicKey: string }
  let signed: string
  beforeAll(async () => {
    keys = await newLicenseKeys()
    signed = await signLicense(PRO, keys.privateKey)
  })

  test('what was signed is read, however the JSON is laid out', async () => {
    expect(await readLicense(signed, keys.publicKey, NOW)).toEqual({ ok: true, terms: PRO })
    const { signature, ...terms } = JSON.parse(signed) as Record<string, unknown>
    const turned = JSON.stringify({ signature, ...terms })
    expect((await readLicense(turned, keys.publicKey, NOW)).ok).toBe(true)
  })

  test.each([
    ['holder', 'Somebody else'],
    ['tier', 'business'],
    ['accounts_limit', -1],
    ['domains_limit', 9999],
    ['issued_at', '2026-01-02'],
    ['expires_at', '2099-12-31'],
    ['expires_at', null],
    ['signature', 'AAAA'],
    ['signature', '%'],
  ])('a changed %s is refused', async (field, value) => {
    const changed = JSON.stringify({ ...JSON.parse(signed), [field]: value })
    const reading = await readLicense(changed, keys.publicKey, NOW)
    expect(reading).toEqual({ ok: false, problem: 'its signature is not good', terms: null })
  })

  test('a foreign key, no key, and what is no licence are refused with the reason', async () => {
    const problem = async (text: string, key = keys.publicKey) => {
      const reading = await readLicense(text, key, NOW)
      return reading.ok ? null : reading.problem
    }
    expect(await problem(signed, (await newLicenseKeys()).publicKey)).toBe(
      'its signature is not good',
    )
    expect(await problem(signed, 'no key')).toBe('the public key is no Ed25519 key in PEM')
    expect(await problem(signed, keys.privateKey)).toBe('the public key is no Ed25519 key in PEM')
    expect(await problem('{')).toBe('it is not valid JSON')
    expect(await problem('[]')).toBe('it is no licence file')
    expect(await problem('{"holder":"x"}')).toMatch(/^its field \w+ is not valid$/)
    const extra = JSON.stringify({ ...JSON.parse(signed), more: 1 })
    expect(await problem(extra)).toBe('it is no licence file')
  })

  test('it is good to the end of its last day', async () => {
    const at = (time: string) => readLicense(signed, keys.publicKey, Date.parse(time))
    expect((await at('2027-12-31T23:59:59Z')).ok).toBe(true)
    expect(await at('2028-01-01T00:00:00Z')).toEqual({
      ok: false,
      problem: 'it expired on 2027-12-31',
      terms: PRO,
    })
  })

  describe('in force', () => {
    let dir: string
    let file: string
    let keyFile: string
    beforeAll(() => {
      dir = temporaryDirectory('blic-')
    })
    beforeEach(() => {
      file = join(dir, 'license.json')
      keyFile = join(dir, 'license.pub')
      writeFileSync(file, signed)
      writeFileSync(keyFile, keys.publicKey)
    })
    const create = (clock = createFakeClock(NOW), change: { key?: string | null } = {}) => {
      const log = createRecordingLog()
      const { key = keyFile } = change
      const config = { license_file: file, license_public_key_file: key }
      return { license: createLicense(config, { clock, log }), log }
    }

    test('a good file grants its tier and limits', async () => {
      const { license } = create()
      expect(await license.current()).toEqual({
        tier: 'pro',
        valid: true,
        accounts_limit: 50,
        domains_limit: 250,
        holder: 'Example Ltd',
        expires_at: '2027-12-31',
        problem: null,
      })
    })

    test('a file that is replaced counts at once, without a restart', async () => {
      const { license } = create()
      expect((await license.current()).tier).toBe('pro')
      const business = { ...PRO, tier: 'business' as const, accounts_limit: -1, domains_limit: -1 }
      writeFileSync(file, await signLicense(business, keys.privateKey))
      utimesSync(file, 1_800_000_000, 1_800_000_000)
      expect(await license.current()).toMatchObject({ tier: 'business', accounts_limit: -1 })
      writeFileSync(file, 'nonsense')
      expect(await license.current()).toMatchObject({ ...COMMUNITY, valid: false })
      rmSync(file)
      const { problem } = await license.current()
      expect(problem).toContain('the file does not exist')
      writeFileSync(file, signed)
      expect((await license.current()).tier).toBe('pro')
    })

    test('time passes while it runs; the reason is logged once', async () => {
      const clock = createFakeClock(NOW)
      const { license, log } = create(clock)
      expect((await license.current()).valid).toBe(true)
      clock.advanceSecs(500 * 86_400)
      for (let at = 0; at < 3; at++) {
        expect(await license.current()).toMatchObject({
          ...COMMUNITY,
          valid: false,
          problem: expect.stringContaining('it expired on 2027-12-31'),
        })
      }
      const lines = log.lines.filter((line) => line.includes('licence not honoured'))
      expect(lines).toHaveLength(1)
    })

    test('without a public key no file is honoured', async () => {
      expect(await create(undefined, { key: null }).license.current()).toMatchObject({
        ...COMMUNITY,
        valid: false,
        problem: expect.stringContaining('license_public_key_file'),
      })
      const { license } = create(undefined, { key: join(dir, 'none.pub') })
      expect((await license.current()).problem).toContain('none.pub')
    })

    test('Pro opens lsapi and more accounts; once it is gone what exists stays', async () => {
      const api = await makeNodeApi({ license: create().license })
      try {
        const admin = await adminClient(api)
        for (let at = 0; at < 6; at++) await createAccount(admin, `tenant${at}`)
        const lsapi = () => admin.post('/api/php/version/1', { version: '8.2', mode: 'lsapi' })
        expect((await lsapi()).status).not.toBe(403)
        expect((await admin.get('/api/license')).body.data).toMatchObject({ tier: 'pro' })
        writeFileSync(file, 'nonsense')
        const stats = (await admin.get('/api/system/stats')).body.data
        expect(stats).toMatchObject({
          accounts: { count: 6, limit: 5 },
          license: { tier: 'community', valid: false, problem: expect.any(String) },
        })
        expect((await lsapi()).status).toBe(403)
        const refused = await admin.post('/api/accounts', newAccount('tenant9'))
        expect([refused.status, refused.body.error]).toEqual([
          403,
          'Account limit reached (6/5). Upgrade your license for more.',
        ])
        expect((await admin.get('/api/accounts')).body.data).toHaveLength(6)
      } finally {
        await api.close()
      }
    })
  })
})
