import { testCache } from '#test/support/test-cache.ts'

/**
 * Where processes that tests start keep what they compiled: without it every web
 * server, worker and agent strips and compiles hundreds of files anew, which is
 * two thirds of what its start costs.
 */
export const COMPILED_SOURCES = (process.env['NODE_COMPILE_CACHE'] ??= testCache('compiled'))
