import { applicationsPortContract } from '#test/contract/applications/applications-port.ts'
import { createApplicationsFixture } from './applications-fixture.ts'

applicationsPortContract('agent', async () => {
  const fixture = await createApplicationsFixture()
  const { host, account, answers } = fixture
  const { username } = account
  const applications = fixture.createService()
  await applications.start()
  return {
    applications,
    username,
    answers,
    suspend: async () => {
      host.registry.records.setSuspended(username, true, null)
      await applications.stopAccount(username)
    },
    unsuspend: async () => {
      host.registry.records.setSuspended(username, false, null)
      applications.startAccount(username)
    },
    dispose: fixture.dispose,
  }
})
