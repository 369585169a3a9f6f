import { z } from 'zod'
import {
  dnsAccessChangeSchema,
  newDnsAccessSchema,
} from '#handlers/domain/certificates/dns-access-schema.ts'
import {
  certificate,
  certificateOrder,
  challengeType,
  dnsAccessName,
  dnsAccessOwner,
  domain,
  nothing,
  operationId,
  pem,
  username,
} from '../argument-shapes.ts'
import type { ArgumentTable } from './argument-table.ts'

/** Shapes of the arguments of methods about certificates and DNS access, by port and method. */
export const CERTIFICATES_ARGUMENTS: Pick<ArgumentTable, 'certificates' | 'dnsAccess'> = {
  certificates: {
    prepare: z.object({
      ...certificateOrder,
      force: z.boolean(),
      challenge: challengeType.nullable(),
    }),
    issue: z.object({
      ...certificateOrder,
      operationId,
      by_dns: z.array(domain).max(100),
      replaces: operationId.nullable(),
    }),
    renewalWindow: z.object({ ...certificate, version: operationId }),
    install: z.object({ ...certificate, operationId, certificate: pem, key: pem }),
    prune: z.object({ ...certificate, keep: operationId.nullable() }),
    pair: z.object({ username, domain, version: operationId }),
    panelName: nothing,
    beginOrder: z.object({ ...certificate, names: certificateOrder.names }),
    waitingOrders: nothing,
    lookAtOrder: z.object(certificate),
    finishOrder: z.object({ ...certificate, operationId }),
    dropOrder: z.object(certificate),
  },
  dnsAccess: {
    list: z.object(dnsAccessOwner),
    add: z.object({ ...dnsAccessOwner, access: newDnsAccessSchema }),
    change: z.object({
      ...{ ...dnsAccessOwner, name: dnsAccessName },
      change: dnsAccessChangeSchema,
    }),
    remove: z.object({ ...dnsAccessOwner, name: dnsAccessName }),
  },
}
