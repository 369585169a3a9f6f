import { startWeb, eventually } from '#test/node/web-server/support/web-process.ts'
import { PASSWORD, startRedis } from '#test/node/cache-redis/support/redis-server.ts'
import { originHost } from '../peers/berth.ts'
import { startOrigin } from '../support/origin.ts'
import { BENCH_HOST } from '../support/page-side.ts'
import { timeMs } from '../support/findings/value-finding.ts'
import { onStage } from '../support/stage.ts'
import { middle, type Input, type Part } from './input.ts'

/** How long a purge takes that is answered once no web server shows what it hit. */
export const purges: Part = {
  name: 'purges',
  measure: ({ quick }) =>
    onStage(async (stage) => {
      const redis = await startRedis()
      stage.later(() => redis.remove())
      const origin = await startOrigin(stage)
      const cache = `storage = "redis"
redis_url = "redis://:${encodeURIComponent(PASSWORD)}@127.0.0.1:${redis.port}"
when_alone = "strict"
`
      const inputs: Input[] = []
      const webs: Awaited<ReturnType<typeof startWeb>>[] = []
      stage.later(async () => {
        await Promise.all(webs.map((web) => web.remove()))
      })
      for (const count of quick ? [2] : [2, 4, 8]) {
        while (webs.length < count)
          webs.push(await startWeb({ workers: 1, cache, more: originHost(BENCH_HOST, origin) }))
        const [first] = webs
        if (first === undefined) throw new Error('no web server')
        const purge = async (): Promise<unknown> => {
          const query = `domain=${BENCH_HOST}&path=/page/1024`
          const { body } = await first.management('POST', `/api/v1/cache/purge?${query}`)
          return (body as { others?: string }).others
        }
        await eventually('all web servers are told', async () => (await purge()) === 'told')
        const times: number[] = []
        for (let round = 0; round < (quick ? 5 : 100); round++) times.push(await timeMs(purge))
        const what = `a purge that all of ${count} web servers have applied, behind one Redis`
        const [late = 0] = times.toSorted((a, b) => b - a).slice(Math.floor(times.length / 100))
        inputs.push(
          { symbol: `p(${count})`, what: `${what}, median`, value: middle(times), unit: 'ms' },
          { symbol: `p(${count})`, what: `${what}, one of a hundred`, value: late, unit: 'ms' },
        )
      }
      return inputs
    }),
}
