import { snapshotsPortContract } from '#test/contract/backups/snapshots-port.ts'
import { createSnapshotFixture } from './snapshot-fixture.ts'

snapshotsPortContract('restic, on this host', async () => {
  const fixture = await createSnapshotFixture()
  const { host } = fixture
  const user = await host.account()
  await host.shell(
    user,
    "printf '<h1>hello</h1>' > public_html/index.html; printf umlaut > public_html/ä.txt; chmod 644 public_html/*",
  )
  return {
    snapshots: fixture.snapshots,
    username: user.username,
    database: await host.database(user, 'shop'),
    location: 'local',
    dispose: () => fixture.dispose(),
  }
})
