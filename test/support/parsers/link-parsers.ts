import { parseCertificateOrder } from '#adapters/node/agent/link/change-certificate.ts'
import { parsePeers } from '#adapters/node/web-channel/channel-files.ts'
import { ownChannelId } from '#adapters/node/web-channel/own-channel.ts'
import { parseVisitor } from '#adapters/node/web-channel/visitor-field.ts'
import { parseDone, parseOrders } from '#adapters/node/web-server/front/orders.ts'
import { Readable } from 'node:stream'
import { fieldsOf as fieldsOfList, readHomeList } from '#adapters/node/agent/moves/home-list.ts'
import { LEASE_HEADER, readLease } from '#adapters/shared/host-rpc/call-lease.ts'
import { CALL_HEADER, SIGNATURE_HEADER, verifyCall } from '#adapters/shared/host-rpc/signed-call.ts'
import { readJoined, readPart } from '#adapters/shared/host-rpc/link/body-parts.ts'
import { parsePanelToken } from '#handlers/domain/hosts/panel-token.ts'
import { isProofOfJoining, parseJoinToken } from '#adapters/shared/host-rpc/link/join-token.ts'
import {
  importSigningKey,
  isTrustListSignedBy,
  parseSignedTrustList,
  parseTrustList,
} from '#adapters/shared/host-rpc/link/trust-list.ts'
import { isAppError } from '#handlers/errors.ts'
import { isCertificateVersion } from '#handlers/domain/certificates/certificate-version.ts'
import { frontAddress } from '#handlers/domain/fronts/front-address.ts'
import { parseLinkAddress } from '#handlers/domain/hosts/link-address.ts'
import { isVisitorAddress } from '#handlers/domain/hosts/visitor-address.ts'
import { bytesOf, fieldsOf, opened, parsersOf } from './parser-list.ts'

const KEYS = crypto.subtle.generateKey('Ed25519', false, ['sign', 'verify'])

/** What panels and hosts on other machines send each other, and who pretends to be one. */
export const linkParsers = parsersOf('visitor', 64 * 1024, {
  'adapters/shared/host-rpc/signed-call.ts verifyCall': opened(['eyJ2Ijox'], (text) =>
    verifyCall(fieldsOf([CALL_HEADER, SIGNATURE_HEADER], text), {
      host: 'host-1',
      method: 'system/info',
      body: bytesOf(text),
      keyOf: () => null,
    }),
  ),
  'adapters/shared/host-rpc/call-lease.ts readLease': opened(['7 ', '7 %41'], (text) => {
    try {
      readLease(fieldsOf([LEASE_HEADER], text))
    } catch (error) {
      if (!isAppError(error)) throw error
    }
  }),
  'adapters/shared/host-rpc/link/trust-list.ts parseTrustList': opened(
    ['{"v":1,"host":"', '{"v":1,"host":"a","role":"host","version":1,"panels":[{"certificate":"'],
    parseTrustList,
  ),
  'adapters/node/web-channel/channel-files.ts parsePeers': opened(
    ['{"v":1,"peers":[{"id":"', '{"v":1,"peers":[{"id":"a","certificate":"'],
    parsePeers,
  ),
  'adapters/node/web-server/front/orders.ts parseOrders': opened(
    ['{"purges":[{"id":"a","scopes":[{"kind":"tag","tag":"', '{"purges":['],
    parseOrders,
  ),
  'adapters/node/web-server/front/orders.ts parseDone': opened(['{"done":["'], parseDone),
  'adapters/node/web-channel/visitor-field.ts parseVisitor': opened(
    ['192.0.2.1 ', '::1 1 https '],
    parseVisitor,
  ),
  'adapters/node/web-channel/own-channel.ts ownChannelId': opened(
    ['-----BEGIN CERTIFICATE-----\n'],
    (text) => ownChannelId(text, 'host'),
  ),
  'handlers/domain/fronts/front-address.ts frontAddress': opened(['[', '10.0.0.2:'], (text) =>
    frontAddress([text], text),
  ),
  'handlers/domain/certificates/certificate-version.ts isCertificateVersion': opened(
    ['', '..'],
    isCertificateVersion,
  ),
  'handlers/domain/hosts/link-address.ts parseLinkAddress': opened(['[', 'a:'], parseLinkAddress),
  'handlers/domain/hosts/visitor-address.ts isVisitorAddress': opened(
    ['', '2001:', 'a.'],
    isVisitorAddress,
  ),
  'adapters/shared/host-rpc/link/join-token.ts parseJoinToken': opened(
    ['berth-join-1.'],
    parseJoinToken,
  ),
  'handlers/domain/hosts/panel-token.ts parsePanelToken': opened(
    ['berth-panel-1.'],
    parsePanelToken,
  ),
  'adapters/shared/host-rpc/link/join-token.ts isProofOfJoining': (text) =>
    isProofOfJoining(text, text, text, text),
  'adapters/shared/host-rpc/link/trust-list.ts parseSignedTrustList': opened(
    ['{"list":"', '{"signature":"'],
    parseSignedTrustList,
  ),
  'adapters/node/agent/link/change-certificate.ts parseCertificateOrder': opened(
    ['{"use":"'],
    parseCertificateOrder,
  ),
  'adapters/shared/host-rpc/link/body-parts.ts readPart': opened(['0'.repeat(32)], (text) =>
    readPart(bytesOf(text)),
  ),
  'adapters/shared/host-rpc/link/body-parts.ts readJoined': opened(['{"joined":'], (text) =>
    readJoined(bytesOf(text)),
  ),
  'adapters/node/agent/moves/home-list.ts fieldsOf': async (text) => {
    for await (const field of fieldsOfList(Readable.from([bytesOf(`${text}\0`)]))) void field
  },
  'adapters/node/agent/moves/home-list.ts readHomeList': opened(
    ['f 644 1 1 1.5 ', 'f 644 1 1 1 a\0'],
    async (text) => {
      for await (const entry of readHomeList(Readable.from([bytesOf(text)]))) void entry
    },
  ),
  'adapters/shared/host-rpc/link/trust-list.ts importSigningKey': importSigningKey,
  'adapters/shared/host-rpc/link/trust-list.ts isTrustListSignedBy': async (text) => {
    const { publicKey } = (await KEYS) as CryptoKeyPair
    return isTrustListSignedBy({ list: text, signer: 'panel-1', signature: text }, publicKey)
  },
})
