import { boundedMemo } from './bounded-memo.ts'

/**
 * What proxies and CDNs say of a request that they pass on. From anybody else it is
 * forged: taken off before anything looks at it.
 */
const NAMES = new Set([
  'akamai-origin-hop',
  'baggage',
  'cdn-loop',
  'client-ip',
  'forwarded',
  'traceparent',
  'tracestate',
  'true-client-ip',
  'via',
  'x-amzn-trace-id',
  'x-client-ip',
  'x-cloud-trace-context',
  'x-cluster-client-ip',
  'x-forwarded',
  'x-original-forwarded-for',
  'x-original-host',
  'x-original-url',
  'x-real-ip',
  'x-rewrite-url',
  'x-varnish',
])

const PREFIXES = [
  'cf-',
  'cloudfront-',
  'fastly-',
  'x-akamai-',
  'x-amz-cf-',
  'x-azure-',
  'x-b3-',
  'x-forwarded-',
  'x-sucuri-',
]

const judge = (name: string): boolean => {
  const meant = name.includes('_') ? name.replaceAll('_', '-') : name
  return NAMES.has(meant) || PREFIXES.some((prefix) => meant.startsWith(prefix))
}

/** `name` is lower case. `_` counts as `-`, because to many programs both are one variable. */
export const isForwardingField = boundedMemo(judge, { maxTexts: 1000, maxLength: 64 })
