import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { FilesPort } from '#handlers/ports/host/files.ts'
import type { UsersPort } from '#handlers/ports/host/users.ts'

/** A port with no account of ours yet. */
export interface UsersPortSubject {
  users: UsersPort
  files: FilesPort
  /** A fresh, free username. */
  newName(): string
  dispose(): Promise<void>
}

/** What every implementation of `UsersPort` keeps to. */
export const usersPortContract = (label: string, create: () => Promise<UsersPortSubject>): void => {
  describe(`UsersPort: ${label}`, () => {
    let subject: UsersPortSubject
    let serial = 0
    const operationId = (): string => `users-contract-${(serial += 1)}`
    const wanted = (username = subject.newName()) => ({
      operationId: operationId(),
      username,
      password: 'pass:word $x `y` ä',
      primaryDomain: 'contract.example',
      diskQuotaMb: 500,
    })

    beforeAll(async () => {
      subject = await create()
    })
    afterAll(async () => {
      await subject.dispose()
    })

    it('creates an account once per operation', async () => {
      const input = wanted()
      const user = await subject.users.create(input)
      expect(user).toMatchObject({ username: input.username })
      expect(Number.isInteger(user.uid)).toBe(true)
      expect(user.home.endsWith(`/${input.username}`)).toBe(true)
      expect(await subject.users.create(input)).toEqual(user)
      expect(await subject.users.operation(input)).toEqual({ state: 'done' })
      expect(await subject.users.list()).toContainEqual({ ...user, suspended: false })
      const page = await subject.files.read({
        username: input.username,
        path: 'public_html/index.html',
        maxBytes: 100_000,
      })
      expect(page.content).toContain('contract.example')
      expect(await subject.users.diskUsedMb(input)).toBeLessThanOrEqual(1)
      await subject.users.remove({ operationId: operationId(), username: input.username })
    })

    it('refuses a second account of the same name and names of the system', async () => {
      const input = wanted()
      await subject.users.create(input)
      await expect(subject.users.create(wanted(input.username))).rejects.toMatchObject({
        status: 409,
        field: 'username',
      })
      await subject.users.remove({ operationId: operationId(), username: input.username })
      await expect(subject.users.create(wanted('root'))).rejects.toHaveProperty('status')
    })

    it('makes one account of creations at the same time', async () => {
      const username = subject.newName()
      const results = await Promise.allSettled(
        [1, 2, 3, 4].map(async () => subject.users.create(wanted(username))),
      )
      expect(results.filter((result) => result.status === 'fulfilled')).toHaveLength(1)
      await subject.users.remove({ operationId: operationId(), username })
    })

    it('suspends and lifts, each once per operation', async () => {
      const input = wanted()
      const user = await subject.users.create(input)
      const suspend = { operationId: operationId(), username: input.username }
      await subject.users.suspend(suspend)
      expect(await subject.users.list()).toContainEqual({ ...user, suspended: true })
      const lift = { operationId: operationId(), username: input.username }
      await subject.users.unsuspend(lift)
      await subject.users.suspend(suspend)
      expect(await subject.users.list()).toContainEqual({ ...user, suspended: false })
      await subject.users.remove({ operationId: operationId(), username: input.username })
    })

    it('removes an account with everything, and again without error', async () => {
      const input = wanted()
      await subject.users.create(input)
      const { username } = input
      await subject.users.remove({ operationId: operationId(), username })
      await subject.users.remove({ operationId: operationId(), username })
      expect((await subject.users.list()).map((user) => user.username)).not.toContain(username)
      await expect(subject.files.list({ username, path: '' })).rejects.toMatchObject({
        status: 404,
      })
      await expect(subject.users.diskUsedMb({ username })).rejects.toMatchObject({ status: 404 })
      await expect(
        subject.users.suspend({ operationId: operationId(), username }),
      ).rejects.toMatchObject({ status: 404 })
    })

    it('does not remove what it did not make', async () => {
      await expect(
        subject.users.remove({ operationId: operationId(), username: 'root' }),
      ).rejects.toHaveProperty('status')
    })

    it('sets passwords of its own accounts only', async () => {
      const input = wanted()
      await subject.users.create(input)
      const { username } = input
      await subject.users.setPassword({ operationId: operationId(), username, password: 'another' })
      await subject.users.remove({ operationId: operationId(), username })
      await expect(
        subject.users.setPassword({ operationId: operationId(), username, password: 'another' }),
      ).rejects.toMatchObject({ status: 404 })
    })

    it('sets limits of its own accounts only, also of suspended ones', async () => {
      const input = wanted()
      await subject.users.create(input)
      const set = (username: string) =>
        subject.users.setLimits({
          operationId: operationId(),
          username,
          processes: 30,
          memoryMb: 256,
          memoryTotalMb: 1024,
          cpuWeight: 200,
          cpuPercent: 150,
          ioWeight: 50,
        })
      await set(input.username)
      await subject.users.suspend({ operationId: operationId(), username: input.username })
      await set(input.username)
      await expect(set(subject.newName())).rejects.toMatchObject({ status: 404 })
      await subject.users.remove({ operationId: operationId(), username: input.username })
    })

    it('has not seen operations that never came', async () => {
      expect(await subject.users.operation({ operationId: operationId() })).toBeNull()
    })
  })
}
