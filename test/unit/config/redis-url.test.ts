import { describe, expect, it } from 'vitest'
import { parseRedisUrl, redisUrlProblem } from '#handlers/domain/config/redis-url.ts'
import { maskRedisUrl } from '#handlers/domain/config/redis-url.ts'

const plain = { kind: 'single', socketPath: null, tls: false, username: null, database: 0 }
const local = { host: '127.0.0.1', port: 6379 }

describe('redis_url', () => {
  it.each([
    ['redis://:s3cret@127.0.0.1', { ...plain, nodes: [local], password: 's3cret' }],
    [
      'rediss://user:a%2Fb%40%2C@redis.example.com:6380/3',
      {
        kind: 'single',
        nodes: [{ host: 'redis.example.com', port: 6380 }],
        socketPath: null,
        tls: true,
        username: 'user',
        password: 'a/b@,',
        database: 3,
      },
    ],
    [
      'unix:///run/redis/redis.sock?db=2&password=x%26y',
      { ...plain, nodes: [], socketPath: '/run/redis/redis.sock', password: 'x&y', database: 2 },
    ],
    [
      'redis+cluster://:p@[::1]:7000',
      { ...plain, kind: 'cluster', nodes: [{ host: '::1', port: 7000 }], password: 'p' },
    ],
    [
      'redis://:p@a:7000,redis://b:7001, c:7002',
      {
        ...plain,
        kind: 'cluster',
        nodes: ['a', 'b', 'c'].map((host, index) => ({ host, port: 7000 + index })),
        password: 'p',
      },
    ],
  ])('reads %s', (url, address) => {
    expect(parseRedisUrl(url)).toEqual(address)
    expect(redisUrlProblem(url)).toBeNull()
  })

  it.each([
    ['redis://127.0.0.1:6379', 'has no password'],
    ['redis://user@127.0.0.1:6379', 'has no password'],
    ['redis+cluster://127.0.0.1:7000', 'has no password'],
    ['redis://:p@127.0.0.1:99999', 'does not name a server'],
    ['redis://:p@h/x', 'database'],
    ['redis://:p@a,b/1', 'cluster has only number 0'],
    ['unix://run/redis.sock', 'absolute path'],
    ['redis://:%zz@h', '% escape'],
    ['http://h', 'is not a Redis URL'],
  ])('refuses %s', (url, problem) => {
    expect(redisUrlProblem(url)).toContain(problem)
  })

  it.each(['redis://:s3cret@a:7000,b:7001', 'redis://:s3cret@a:7000,redis://:s3cret@b:7001'])(
    'is never shown with its password: %s',
    (url) => {
      expect(maskRedisUrl(url, '***')).not.toContain('s3cret')
    },
  )
})
