import { describe, it } from 'vitest'
import { serializedLayer } from '#test/contract/http-cache-harness.ts'
import { httpCacheContract } from '#test/contract/http-cache.ts'

describe('a virtual host in http mode', () => {
  for (const { name, run } of httpCacheContract(() => Promise.resolve(serializedLayer()))) {
    it(name, run)
  }
})
