import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { SftpPort } from '#handlers/ports/host/sftp.ts'

/** A port with one account. */
export interface SftpPortSubject {
  sftp: SftpPort
  username: string
  dispose(): Promise<void>
}

/** A key that nobody has the other half of. */
export const PUBLIC_KEY = `ssh-ed25519 ${btoa(`\0\0\0\x0bssh-ed25519\0\0\0\x20${'k'.repeat(32)}`)}`

/** What every implementation of `SftpPort` keeps to. */
export const sftpPortContract = (label: string, create: () => Promise<SftpPortSubject>): void => {
  describe(`SftpPort: ${label}`, () => {
    let subject: SftpPortSubject
    beforeAll(async () => {
      subject = await create()
    })
    afterAll(() => subject.dispose())

    it('tells how accounts are reached', async () => {
      const { available, reason, ports, hostKeys } = await subject.sftp.details()
      expect([available, reason]).toEqual([true, null])
      expect(ports.length).toBeGreaterThan(0)
      expect(hostKeys[0]?.fingerprint).toMatch(/^SHA256:[A-Za-z0-9+/]{43}$/)
    })
    it('takes the log-ins of an account, again and again', async () => {
      const logins = {
        username: subject.username,
        passwords: false,
        users: [],
        shell: false,
        keys: [{ id: 7, publicKey: PUBLIC_KEY, expiresAt: '2099-01-01 00:00:00' }],
      }
      await subject.sftp.setLogins(logins)
      await subject.sftp.setLogins(logins)
      await subject.sftp.setLogins({ ...logins, passwords: true, keys: [] })
    })
    it('tells what opens an account otherwise than it should', async () => {
      const key = { id: 7, publicKey: PUBLIC_KEY, expiresAt: null }
      const name = subject.username
      const logins = { username: name, passwords: false, users: [], shell: false, keys: [key] }
      await subject.sftp.setLogins(logins)
      expect(await subject.sftp.loginDifferences(logins)).toEqual([])
      const ends = [{ ...key, expiresAt: '2099-01-01 00:00:00' }]
      expect(await subject.sftp.loginDifferences({ ...logins, keys: ends })).toEqual([
        { name, missingKeys: 1, unknownKeys: 1, passwords: false },
      ])
      expect(await subject.sftp.loginDifferences({ ...logins, keys: [], passwords: true })).toEqual(
        [{ name, missingKeys: 0, unknownKeys: 1, passwords: true }],
      )
      const repository = { name: 'shop', access: 'pull' as const }
      const bound = { ...logins, repositoryKeys: [{ ...key, id: 8, repository }] }
      expect(await subject.sftp.loginDifferences(bound)).toMatchObject([{ name }])
      await subject.sftp.setLogins(bound)
      expect(await subject.sftp.loginDifferences(bound)).toEqual([])
      const more = [{ ...key, id: 8, repository: { ...repository, access: 'push' as const } }]
      expect(await subject.sftp.loginDifferences({ ...bound, repositoryKeys: more })).toMatchObject(
        [{ missingKeys: 1, unknownKeys: 1 }],
      )
      await subject.sftp.setLogins(logins)
      // Looking changes nothing.
      expect(await subject.sftp.loginDifferences(logins)).toEqual([])
      await expect(
        subject.sftp.loginDifferences({ ...logins, username: 'nobodyhere' }),
      ).rejects.toMatchObject({ status: 404 })
    })
    it('refuses accounts that it does not know, and what is no key', async () => {
      const { username } = subject
      const given = { username, passwords: false, keys: [], users: [], shell: false }
      await expect(
        subject.sftp.setLogins({ ...given, username: 'nobodyhere' }),
      ).rejects.toMatchObject({ status: 404 })
      for (const publicKey of [`command="id" ${PUBLIC_KEY}`, `${PUBLIC_KEY}\n${PUBLIC_KEY}`, 'x'])
        await expect(
          subject.sftp.setLogins({ ...given, keys: [{ id: 7, publicKey, expiresAt: null }] }),
        ).rejects.toMatchObject({ status: 400 })
      const key = { id: 7, publicKey: PUBLIC_KEY, expiresAt: null }
      for (const name of ['a b', 'a",command="id', '../shop', ''])
        await expect(
          subject.sftp.setLogins({
            ...given,
            repositoryKeys: [{ ...key, repository: { name, access: 'pull' } }],
          }),
        ).rejects.toMatchObject({ status: 400 })
    })
  })
}
