import { filesPortContract } from '#test/contract/files/files-port.ts'
import { usersPortContract } from '#test/contract/accounts/users-port.ts'
import { createAgentFixture, newName } from './agent-fixture.ts'

for (const rootless of [false, true]) {
  const label = rootless ? 'rootless' : 'OS users'
  usersPortContract(label, async () => {
    const fixture = await createAgentFixture({ rootless })
    return { users: fixture.users, files: fixture.files, newName, dispose: fixture.dispose }
  })
  filesPortContract(label, async () => {
    const fixture = await createAgentFixture({ rootless })
    const { username } = await fixture.account()
    return { files: fixture.files, username, dispose: fixture.dispose }
  })
}
