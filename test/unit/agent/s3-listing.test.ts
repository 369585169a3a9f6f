import { describe, expect, it } from 'vitest'
import { failureAdvice } from '#adapters/node/agent/backups/remote/failure-advice.ts'
import { parseS3Page } from '#adapters/node/agent/backups/remote/s3-listing.ts'

const page = (inner: string): string =>
  `<?xml version="1.0"?><ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${inner}</ListBucketResult>`
const item = (key: string, size: string): string =>
  `<Contents><Key>${key}</Key><ETag>&quot;x&quot;</ETag><Size>${size}</Size></Contents>`

describe('a page of ListObjectsV2', () => {
  it('names files, and where the next page begins', () => {
    const xml = page(
      `<IsTruncated>true</IsTruncated>${item('a &amp; &lt;b&#62;&#x2e;gz', '12')}${item('c', '0')}<NextContinuationToken>x&amp;y</NextContinuationToken>`,
    )
    expect(parseS3Page(xml)).toEqual({
      files: [
        { name: 'a & <b>.gz', sizeBytes: 12 },
        { name: 'c', sizeBytes: 0 },
      ],
      next: 'x&y',
    })
  })

  it('ends without a token, and takes no token of an object', () => {
    expect(parseS3Page(page('<IsTruncated>true</IsTruncated>'))?.next).toBeNull()
    const odd = item('<IsTruncated>true</IsTruncated>', '1')
    expect(parseS3Page(page(`${odd}<NextContinuationToken>n</NextContinuationToken>`))?.next).toBe(
      null,
    )
  })

  it.each([
    [item('a', '-1')],
    [item('a', '1e9')],
    [item('a', '9'.repeat(20))],
    ['<Contents><Size>1</Size></Contents>'],
  ])('leaves out what has no name or size: %s', (inner) => {
    expect(parseS3Page(page(inner))).toEqual({ files: [], next: null })
  })

  it.each(['', '<Error><Code>NoSuchBucket</Code></Error>', page('<Contents><Key>a</Key>')])(
    'is none: %s',
    (xml) => {
      expect(parseS3Page(xml)).toBeNull()
    },
  )

  it('keeps entities that it does not know', () => {
    expect(parseS3Page(page(item('&nope;&#1114112;', '1')))?.files[0]?.name).toBe(
      '&nope;&#1114112;',
    )
  })
})

describe('advice for a failure', () => {
  it.each([
    ['it answered 403 SignatureDoesNotMatch', /secret key/],
    ['connect ECONNREFUSED 192.0.2.1:443', /Nothing answers/],
    ['All configured authentication methods failed', /refuses this user/],
    ['it answered 418', /settings/],
  ])('%s', (failure, advice) => {
    expect(failureAdvice(failure)).toMatch(advice)
  })
})
