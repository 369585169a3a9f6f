import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { HostPorts } from '#handlers/ports/host/host.ts'
import { siteSpec } from '#test/support/setups/virtual-hosts.ts'

/** A host with one account, and a way to let something be wrong with it. */
export interface InspectionPortSubject {
  ports: Pick<HostPorts, 'inspection' | 'webServer' | 'databaseRemote'>
  account: { username: string; home: string }
  /** Gives the home a mode that it should not have. */
  breakHome(): Promise<void>
  dispose(): Promise<void>
}

/** What every implementation of `InspectionPort` keeps to. */
export const inspectionPortContract = (
  label: string,
  create: () => Promise<InspectionPortSubject>,
): void => {
  describe(`InspectionPort: ${label}`, () => {
    let subject: InspectionPortSubject
    const inspect = () => subject.ports.inspection.inspect()
    const homeProblem = async () => {
      const { accounts } = await inspect()
      return accounts.find(({ username }) => username === subject.account.username)?.home
    }
    beforeAll(async () => {
      subject = await create()
    })
    afterAll(() => subject.dispose())

    it('finds what was made, and nothing wrong with it', async () => {
      const { username, home } = subject.account
      const spec = siteSpec('inspected.example.com', username, { root: `${home}/public_html` })
      await subject.ports.webServer.apply({ put: [spec], remove: [] })
      const found = await inspect()
      expect(found.accounts).toEqual([{ username, suspended: false, user: 'present', home: null }])
      expect(found.virtualHosts).toMatchObject([{ spec: { domain: spec.domain }, file: 'current' }])
      for (const none of [
        found.strayVirtualHostFiles,
        found.databases,
        found.databaseUsers,
        found.databaseAddresses.flatMap(({ addresses }) => addresses),
        found.certificates,
        found.php,
        found.backups,
      ])
        expect(none).toEqual([])
    })

    it('tells from where databases may be reached', async () => {
      const { username } = subject.account
      const addresses = ['198.51.100.7', '203.0.113.0/24']
      const { setAddresses } = subject.ports.databaseRemote
      await setAddresses({ operationId: 'allow', username, addresses })
      expect((await inspect()).databaseAddresses).toEqual([{ username, addresses }])
      await setAddresses({ operationId: 'allow-none', username, addresses: [] })
      expect((await inspect()).databaseAddresses.flatMap((one) => one.addresses)).toEqual([])
    })

    it('finds a home that is not as it should be, and puts it right', async () => {
      const { home } = subject.account
      await subject.breakHome()
      expect(await homeProblem()).toMatchObject({ path: home })
      await subject.ports.inspection.repairPath({ path: home })
      expect(await homeProblem()).toBeNull()
    })

    it('touches no path that is none of its own', async () => {
      for (const path of ['/etc/passwd', `${subject.account.home}/public_html`])
        await expect(subject.ports.inspection.repairPath({ path }), path).rejects.toMatchObject({
          status: 404,
        })
    })

    it('leaves alone a process that is no PHP of ours', async () => {
      await subject.ports.inspection.endPhp({ pid: 999_999_999 })
    })
  })
}
