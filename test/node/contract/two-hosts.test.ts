import { expect } from 'vitest'
import { LOCAL_HOST } from '#handlers/ports/store/host-store.ts'
import { apiContract, partsWithout } from '#test/contract/frame/api-contract.ts'
import type { ApiInstance } from '#test/contract/frame/api-instance.ts'
import { createFakeHost } from '#test/fakes/fake-host.ts'
import { makeNodeApi } from './api-node.ts'
import { addSecondHost, linksTo, reached } from './support/second-host.ts'
import { twoDoors } from './support/two-doors.ts'
import type { DoorCall } from './support/two-doors.ts'

/** A panel with two hosts, of which new accounts go to `full`. When it ends, no call may have gone astray. */
const makeTwo = async (full: DoorCall['door']): Promise<ApiInstance> => {
  const host = createFakeHost()
  const doors = twoDoors(host, full)
  const api = await makeNodeApi({
    host: reached(doors.local),
    hostLinks: linksTo(reached(doors.two)),
  })
  const id = await addSecondHost(api.store)
  // It answers at any time of the tests' clocks.
  await api.store.hostAnswered(id, 9_999_999_999)
  await api.store.changeHost(full === 'two' ? LOCAL_HOST : id, { state: 'closed' })
  return {
    ...api,
    host,
    async close() {
      await api.close()
      expect(doors.strays(full === 'two' ? 'local' : 'two')).toEqual([])
    },
  }
}

// What is opened at the panel's machine is filled there; the list of hosts is another one; page cache
// and doctor tell of all machines, of which there are two here.
const KEEP = {
  keep: 3,
  parts: partsWithout('cache', 'doctor', 'hosts', 'imports', 'refills'),
}
apiContract('a panel with its accounts on another host', () => makeTwo('two'), KEEP)
apiContract('a panel with its accounts on its own host', () => makeTwo('local'), KEEP)
