import { z } from 'zod'
import { change, done, few, line, long, many, read, short, SLOW_SECS } from './answer-shapes.ts'
import { installedCertificateAnswer } from './shared-answers.ts'

const skippedNameAnswer = z.object({ name: short, reason: line })

const renewalWindowAnswer = z.object({ from: line, until: short, explanation_url: line.nullable() })

const waitingOrderAnswer = z.object({
  names: few(line),
  left_out: many(skippedNameAnswer),
  records: many(z.object({ name: short, value: long, shown: z.boolean().nullable() })),
  created_at: short,
  expires_at: short,
  failed: line.nullable(),
  username: short.nullable(),
  domain: line,
})

const dnsAccessAnswer = z.object({
  name: short,
  kind: z.enum(['rfc2136', 'cloudflare', 'desec', 'acme-dns']),
  server: line.nullable(),
  zone: line,
  key_name: line.nullable(),
  target: line.nullable(),
  created_at: short,
})

const pemAnswer = z.string().max(100_000)

const issuedCertificateAnswer = installedCertificateAnswer.extend({
  left_out: many(skippedNameAnswer),
})

/** Answers about certificates and DNS access, by port and method. */
export const CERTIFICATES_ANSWERS = {
  certificates: {
    prepare: read(
      z.object({ names: few(line), by_dns: few(line), left_out: many(skippedNameAnswer) }),
      { limitSecs: SLOW_SECS },
    ),
    issue: change(issuedCertificateAnswer),
    renewalWindow: read(renewalWindowAnswer.nullable(), { limitSecs: SLOW_SECS }),
    install: change(installedCertificateAnswer),
    prune: change(done),
    pair: read(
      z.object({ domain: line, version: short, certificate: pemAnswer, key: pemAnswer }).nullable(),
    ),
    panelName: read(line.nullable()),
    beginOrder: change(waitingOrderAnswer),
    waitingOrders: read(many(waitingOrderAnswer)),
    lookAtOrder: change(waitingOrderAnswer),
    finishOrder: change(issuedCertificateAnswer),
    dropOrder: change(done),
  },
  dnsAccess: {
    list: read(many(dnsAccessAnswer)),
    add: change(dnsAccessAnswer),
    change: change(dnsAccessAnswer),
    remove: change(done),
  },
}
