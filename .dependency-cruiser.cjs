/** Import directions of the repo. `to.pathNot` lists what a folder MAY import. */
const only = (name, from, allowed) => ({
  name,
  severity: 'error',
  from: { path: from },
  to: { pathNot: allowed },
})
/** The door of the page cache. */
const EDGE_CACHE = '^edge-cache/(index|config|fields/field-text)\\.ts$'
/** What is read of it where nothing is cached: the whole takes a command a quarter of a second. */
const EDGE_CACHE_LIGHT = '^edge-cache/(config|fields/field-text)\\.ts$'
/** Rooms below `adapters/node` that belong to one process. What two of them need lies in another. */
const PROCESSES = 'agent|web-server|panel|supervisor|install|swap|link'

const never = (name, from, to) => ({ name, severity: 'error', from, to: { path: to } })

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    { name: 'no-circular', severity: 'error', from: {}, to: { circular: true } },
    only('edge-cache-is-a-leaf', '^edge-cache/(?!examples/)', ['^edge-cache/(?!examples/)']),
    only('examples-use-the-door', '^edge-cache/examples/', [
      '^edge-cache/(?:index\\.ts$|examples/)',
      '^(?:node:)?(?:http|stream)',
      '^cloudflare:workers$',
    ]),
    only('ports-are-types-only', '^handlers/ports/', ['^handlers/ports/']),
    only('domain-is-pure', '^handlers/domain/', [
      '^handlers/(domain|ports|errors)',
      EDGE_CACHE_LIGHT,
      '^node_modules/(zod|smol-toml|tldts|mrmime|ipaddr\\.js|otpauth|croner|@simplewebauthn/server)/',
    ]),
    only('services-use-ports', '^handlers/services/', [
      '^handlers/(ports|domain|services)/',
      '^handlers/errors\\.ts$',
      EDGE_CACHE,
    ]),
    only('handlers-are-runtime-neutral', '^handlers/', [
      '^handlers/',
      EDGE_CACHE,
      '^node_modules/(itty-router|@tsndr/cloudflare-worker-jwt|zod|smol-toml|tldts|mrmime|ipaddr\\.js|otpauth|croner|@simplewebauthn/server)/',
    ]),
    {
      name: 'edge-cache-has-one-door',
      severity: 'error',
      from: { path: '^(handlers|adapters|cli|src)/' },
      to: { path: '^edge-cache/', pathNot: EDGE_CACHE },
    },
    {
      name: 'rooms-of-services-are-entered-by-their-main-file',
      severity: 'error',
      from: { path: '^handlers/services/([^/]+)/' },
      to: {
        path: '^handlers/services/[^/]+/',
        // `records`, `journal` and `on-hosts` are what all of them stand on.
        pathNot: [
          '^handlers/services/$1/',
          '^handlers/services/(?:records|journal|on-hosts)/',
          '^handlers/services/(?<room>[^/]+)/\\k<room>\\.ts$',
        ],
      },
    },
    {
      name: 'processes-keep-to-their-rooms',
      severity: 'error',
      from: { path: `^adapters/node/(${PROCESSES})/` },
      to: {
        path: `^adapters/node/(?:${PROCESSES})/`,
        pathNot: '^adapters/node/$1/',
      },
    },
    {
      name: 'shared-rooms-know-no-process',
      severity: 'error',
      from: { path: '^adapters/node/', pathNot: `^adapters/node/(?:${PROCESSES}|bin)/` },
      to: { path: `^adapters/node/(?:${PROCESSES})/` },
    },
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
      '^(adapters/(?!node/(config|process|runtimes|service|swap|wordpress-cores|link-trust|web-channel)/)|src/|test/|handlers/(management|services)/)',
    ),
    {
      name: 'cli-knows-no-more-of-the-panel-than-its-answers',
      severity: 'error',
      from: { path: '^cli/' },
      to: { path: '^handlers/panel/', dependencyTypesNot: ['type-only'] },
    },
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
