import { isRemoteAddress } from '#handlers/domain/databases/remote-address.ts'
import { invalid, notFound } from '#handlers/errors.ts'
import type {
  DatabaseRemotePort,
  RemoteState,
} from '#handlers/ports/host/databases/database-remote.ts'
import type { FakeOperations } from '../operations.ts'

export interface FakeDatabaseRemote extends DatabaseRemotePort {
  /** By username, sorted, for assertions. */
  addresses: Map<string, string[]>
  /** How it stands; may be changed by a test. */
  told: RemoteState
}

/** A machine whose MariaDB is reached from elsewhere. `hasAccount` says whether the host made an account of that name. */
export const createFakeDatabaseRemote = (
  operations: FakeOperations,
  hasAccount: (username: string) => boolean,
): FakeDatabaseRemote => {
  const port: FakeDatabaseRemote = {
    addresses: new Map(),
    told: {
      engines: [
        { engine: 'mariadb', port: 3306, problem: null },
        { engine: 'postgresql', port: null, problem: null },
      ],
      host: 'panel.example',
      certificate: {
        names: ['panel.example'],
        fingerprint: Array.from({ length: 32 }, () => 'AB').join(':'),
        until: '2027-01-01 00:00:00',
        own: true,
        pem: '-----BEGIN CERTIFICATE-----\nZmFrZQ==\n-----END CERTIFICATE-----\n',
      },
    },
    state: async () => structuredClone(port.told),
    async setAddresses({ operationId, username, addresses }) {
      operations.run(operationId, 'databaseRemote.setAddresses', username, () => {
        if (!addresses.every(isRemoteAddress)) throw invalid('address', 'address is none.')
        if (!hasAccount(username)) throw notFound(`User ${username} does not exist.`)
        port.addresses.set(username, [...new Set(addresses)].sort())
        return null
      })
    },
  }
  return port
}
