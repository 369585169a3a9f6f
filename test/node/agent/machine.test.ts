import { machinePortContract } from '#test/contract/host/machine-port.ts'
import { createAgentInstance } from './agent-process.ts'

machinePortContract('the agent', async () => {
  const instance = await createAgentInstance()
  await instance.start()
  return { machine: instance.client.machine, dispose: () => instance.dispose() }
})
