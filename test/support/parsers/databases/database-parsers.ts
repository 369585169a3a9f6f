import { remoteHosts } from '#adapters/node/agent/databases/mariadb/remote-hosts.ts'
import { userAt } from '#adapters/node/agent/databases/mariadb/statements.ts'
import { isRule } from '#adapters/node/agent/databases/postgresql/host-rules.ts'
import { isLetIn, remoteAddress } from '#handlers/domain/databases/remote-address.ts'
import { maskedStatement } from '#handlers/domain/databases/masked-statement.ts'
import { opened, parsersOf } from '../parser-list.ts'

const OPENED = ["SELECT '", 'SELECT "', 'SELECT /*', 'SELECT `', 'SELECT $a$', '$', '1, ', "E'\\"]

/** Addresses as somebody types them, and what becomes of them in the files of the servers. */
export const addressParsers = parsersOf('tenant', 64 * 1024, {
  'handlers/domain/databases/remote-address.ts remoteAddress': opened(
    ['203.0.113.', '2001:db8:', '::', '1/', '0'],
    remoteAddress,
  ),
  'handlers/domain/databases/remote-address.ts isLetIn': opened(['203.0.113.', '::'], (text) =>
    isLetIn(text, ['203.0.113.0/24', '2001:db8::/48']),
  ),
  'adapters/node/agent/databases/mariadb/remote-hosts.ts remoteHosts': opened(
    ['203.0.113.', '2001:db8:'],
    remoteHosts,
  ),
  'adapters/node/agent/databases/mariadb/statements.ts userAt': opened(
    ['203.0.113.', '2001:db8:'],
    (text) => userAt('alice_shop', text),
  ),
  'adapters/node/agent/databases/postgresql/host-rules.ts isRule': opened(
    ['hostssl ', 'hostssl "a_b" "a_b"', 'hostssl "a_b" "a_b" 203.0.113.'],
    isRule,
  ),
})

/** What tenants have their database servers run. */
export const databaseParsers = parsersOf('tenant', 64 * 1024, {
  'handlers/domain/databases/masked-statement.ts maskedStatement': opened(OPENED, (text) => [
    maskedStatement(text, 'mariadb'),
    maskedStatement(text, 'postgresql'),
  ]),
})
