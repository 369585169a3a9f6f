import { logsPortContract } from '#test/contract/logs/logs-port.ts'
import { createLogsFixture } from './logs-fixture.ts'

logsPortContract('files', async () => {
  const fixture = await createLogsFixture()
  return {
    logs: fixture.logs,
    append: (_, line) => fixture.append(`${line}\n`),
    rotate: fixture.rotate,
    dispose: fixture.dispose,
  }
})
