import { sql } from 'kysely'
import type { Store } from '#handlers/ports/store/store.ts'
import type { StoreContext } from '../context.ts'

type Part = Pick<Store, 'addCacheSamples' | 'cacheSamples'>

/** What the page cache did, in steps of five minutes. */
export const cacheSamplesPart = ({ db, write, runBatch }: StoreContext): Part => ({
  async addCacheSamples(at, sites, deleteBefore) {
    await runBatch([
      write.deleteFrom('cache_samples').where('at', '<', deleteBefore).compile(),
      ...Object.entries(sites).map(([domain, { hits, misses, bypasses }]) =>
        sql`insert into cache_samples (domain_id, at, hits, misses, bypasses)
          select id, ${at}, ${hits}, ${misses}, ${bypasses} from domains where domain_name = ${domain}
          on conflict (domain_id, at) do update set hits = cache_samples.hits + excluded.hits,
            misses = cache_samples.misses + excluded.misses,
            bypasses = cache_samples.bypasses + excluded.bypasses`.compile(write),
      ),
    ])
  },
  cacheSamples: (domainId) =>
    db
      .selectFrom('cache_samples')
      .select(['at', 'hits', 'misses', 'bypasses'])
      .where('domain_id', '=', domainId)
      .orderBy('at')
      .execute(),
})
