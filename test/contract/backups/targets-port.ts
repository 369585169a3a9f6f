import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { RemoteTarget } from '#handlers/ports/host/backups/backups.ts'
import type {
  TargetSecret,
  TargetSettings,
  TargetsPort,
} from '#handlers/ports/host/backups/targets.ts'

/** What the suite needs of an implementation. */
export interface TargetsSubject {
  targets: TargetsPort
  list(): Promise<RemoteTarget[]>
  /** Settings that work, of each kind, with their secrets. */
  good: { s3: [TargetSettings, TargetSecret]; sftp: [TargetSettings, TargetSecret] }
  /** An endpoint of S3 that does not answer. */
  deadEndpoint: string
  /** A target of the configuration. */
  configured: string
  dispose(): Promise<void>
}

/** Empty settings to start from. */
export const NO_TARGET: TargetSettings = {
  name: '',
  type: 's3',
  endpoint: '',
  bucket: null,
  path: null,
  region: null,
  username: null,
  access_key_id: null,
  host_key: null,
  is_default: false,
  allow_private: false,
}

/** The suite of every `TargetsPort`. */
export const targetsPortContract = (name: string, make: () => Promise<TargetsSubject>): void => {
  describe(`targets of ${name}`, () => {
    let subject: TargetsSubject
    beforeAll(async () => {
      subject = await make()
    })
    afterAll(() => subject?.dispose())
    const named = async (name: string) => (await subject.list()).find((one) => one.name === name)
    const fails = async (work: Promise<unknown>) =>
      work.then(
        () => null,
        (error: { status?: number; field?: string }) => [error.status, error.field],
      )

    it.each(['s3', 'sftp'] as const)('tries and keeps one of %s', async (type) => {
      const [settings, secret] = subject.good[type]
      const trial = await subject.targets.save({ settings, secret, isNew: true })
      expect(trial).toEqual({ can_list: true, can_remove: true })
      expect(await named(settings.name)).toEqual({ ...settings, source: 'panel' })
      // The S3 service of the tests has a secret that is the key's name.
      if (secret.value !== settings.access_key_id)
        expect(JSON.stringify(await subject.list())).not.toContain(secret.value.slice(0, 60).trim())
      expect(await subject.targets.test({ name: settings.name })).toEqual(trial)
      const again = subject.targets.save({ settings, secret, isNew: true })
      expect(await fails(again)).toEqual([409, 'name'])
    })

    it('keeps the secret of one that stays where it is, and of no other', async () => {
      const [settings] = subject.good.s3
      const change = { ...settings, path: 'elsewhere' }
      await subject.targets.save({ settings: change, secret: null, isNew: false })
      expect(await named(settings.name)).toMatchObject({ path: 'elsewhere' })
      const moved = { ...change, endpoint: subject.deadEndpoint }
      const refused = subject.targets.save({ settings: moved, secret: null, isNew: false })
      expect(await fails(refused)).toEqual([400, 'secret_key'])
      expect(await named(settings.name)).toMatchObject({ endpoint: settings.endpoint })
    })

    it('keeps none that fails its test, and leaves an earlier one as it was', async () => {
      const [settings, secret] = subject.good.s3
      const dead = { ...settings, endpoint: subject.deadEndpoint }
      const fresh = subject.targets.save({
        settings: { ...dead, name: 'dead' },
        secret,
        isNew: true,
      })
      expect(await fails(fresh)).toEqual([503, undefined])
      expect(await named('dead')).toBeUndefined()
      const moved = subject.targets.save({ settings: dead, secret, isNew: false })
      expect(await fails(moved)).toEqual([503, undefined])
      expect(await named(settings.name)).toMatchObject({ endpoint: settings.endpoint })
    })

    it('refuses an SFTP server of another key, and tells which it has', async () => {
      const [settings, secret] = subject.good.sftp
      const other = { ...settings, name: 'other', host_key: `SHA256:${'A'.repeat(43)}` }
      const refused = subject.targets.save({ settings: other, secret, isNew: true })
      expect(await fails(refused)).toEqual([503, undefined])
      const input = { endpoint: settings.endpoint, allowPrivate: true }
      expect(await subject.targets.serverKey(input)).toEqual({
        type: 'ssh-ed25519',
        fingerprint: settings.host_key,
      })
    })

    it('has one default', async () => {
      for (const type of ['s3', 'sftp'] as const) {
        const settings = { ...subject.good[type][0], is_default: true }
        await subject.targets.save({ settings, secret: null, isNew: false })
        const usual = (await subject.list()).filter(({ is_default }) => is_default)
        expect(usual.map((one) => one.name)).toEqual([settings.name])
      }
    })

    it("changes nothing of the configuration's", async () => {
      const { configured: name, targets } = subject
      expect(await fails(targets.remove({ name }))).toEqual([409, 'name'])
      const settings = { ...subject.good.s3[0], name }
      const [, secret] = subject.good.s3
      expect(await fails(targets.save({ settings, secret, isNew: true }))).toEqual([409, 'name'])
      expect(await fails(targets.save({ settings, secret, isNew: false }))).toEqual([409, 'name'])
      await targets.test({ name })
    })

    it('forgets one, and knows none that is not there', async () => {
      const { name } = subject.good.sftp[0]
      await subject.targets.remove({ name })
      expect(await named(name)).toBeUndefined()
      expect(await fails(subject.targets.remove({ name }))).toEqual([404, undefined])
      expect(await fails(subject.targets.test({ name }))).toEqual([404, undefined])
      const save = { settings: subject.good.sftp[0], secret: null, isNew: false }
      expect(await fails(subject.targets.save(save))).toEqual([404, undefined])
    })
  })
}
