import { backupsPortContract } from '#test/contract/backups/backups-port.ts'
import { createBackupFixture } from './backup-fixture.ts'

backupsPortContract('host', async () => {
  const host = await createBackupFixture()
  const [user, other] = [await host.account(), await host.account()]
  return {
    backups: host.backups,
    username: user.username,
    otherUsername: other.username,
    database: await host.database(user, 'shop'),
    dispose: () => host.dispose(),
  }
})
