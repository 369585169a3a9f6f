/** Import directions of the repo. `to.pathNot` lists what a folder MAY import. */
const only = (name, from, allowed) => ({
  name,
  severity: 'error',
  from: { path: from },
  to: { pathNot: allowed },
})
const never = (name, from, to) => ({ name, severity: 'error', from, to: { path: to } })

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    { name: 'no-circular', severity: 'error', from: {}, to: { circular: true } },
    only('edge-cache-is-a-leaf', '^edge-cache/', ['^edge-cache/']),
    only('ports-are-types-only', '^handlers/ports/', ['^handlers/ports/']),
    only('domain-is-pure', '^handlers/domain/', [
      '^handlers/(domain|errors)',
      '^edge-cache/(config|field-text)\\.ts$',
      '^node_modules/(zod|smol-toml|tldts|ipaddr\\.js|otpauth)/',
    ]),
    only('services-use-ports', '^handlers/services/', [
      '^handlers/(ports|domain|services)/',
      '^handlers/errors\\.ts$',
      '^edge-cache/(config|page-cache|field-text|bounded-memo)\\.ts$',
    ]),
    only('handlers-are-runtime-neutral', '^handlers/', [
      '^handlers/',
      '^edge-cache/(config|page-cache|field-text|bounded-memo)\\.ts$',
      '^node_modules/(itty-router|@tsndr/cloudflare-worker-jwt|zod|smol-toml|tldts|mrmime|ipaddr\\.js|otpauth)/',
    ]),
    never('adapters-do-not-look-up', { path: '^adapters/' }, '^(src|cli|test)/'),
    never(
      'worker-is-not-node',
      { path: '^adapters/(worker|shared)/' },
      '^adapters/node/|^node_modules/better-sqlite3/',
    ),
    never(
      'ui-reaches-host-only-through-hooks',
      { path: '^src/', pathNot: '^src/hooks\\.server\\.ts$' },
      '^(adapters|edge-cache|cli|test)/',
    ),
    never(
      'cli-is-thin',
      { path: '^cli/' },
      '^(adapters/(?!node/(config|process|service|swap)/)|src/|test/|handlers/(panel|management|services)/)',
    ),
    never('no-test-code-in-product', { pathNot: '^(test|bench)/' }, '^test/'),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(build|dist|\\.svelte-kit)/' },
    tsPreCompilationDeps: true, // sees `import type` too
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      extensions: ['.ts', '.js', '.svelte', '.d.ts'],
      exportsFields: ['exports'],
      conditionNames: ['import', 'types', 'default'],
    },
  },
}
