import { join } from 'node:path'
import { defineConfig } from 'vitest/config'

/**
 * Test projects. `unit` and `contract` need nothing but Node; `workerd` starts
 * Miniflare; the others use real components as root, or start whole instances of the
 * product. `npm test` runs each file in a lane (`scripts/lanes`), a machine of its
 * own beside the machine. Run by vitest itself, one file at a time.
 */
const project = (name: string, include: string[], extra: Record<string, unknown> = {}) => ({
  test: {
    name,
    include,
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // One second, the default, is what a busy machine takes now and then.
    expect: { poll: { timeout: 15_000 } },
    ...extra,
  },
})
const serial = { fileParallelism: false, testTimeout: 120_000, hookTimeout: 180_000 }

/** What files are made into for vitest outlives the run: all lanes share it. */
const kept = process.env['BERTH_TEST_CACHE'] ?? join(import.meta.dirname, '.cache/test')

export default defineConfig({
  test: {
    fsModuleCache: true,
    fsModuleCachePath: join(kept, 'vitest'),
    projects: [
      project('unit', ['test/unit/**/*.test.ts']),
      project('contract', ['test/node/contract/**/*.test.ts']),
      project('workerd', ['test/workerd/**/*.test.ts']),
      project(
        'node',
        ['test/node/*/**/*.test.ts', '!test/node/contract/**', '!test/node/link/**'],
        serial,
      ),
      project('link', ['test/node/link/**/*.test.ts'], serial),
      project('cli', ['test/cli/**/*.test.ts'], serial),
      project('e2e', ['test/e2e/**/*.test.ts'], serial),
      project('attack', ['test/attack/**/*.test.ts'], serial),
      project('crash', ['test/crash/**/*.test.ts'], serial),
      project('panels', ['test/panels/**/*.test.ts'], serial),
      project('install', ['test/install/**/*.test.ts'], serial),
      project('hosts', ['test/hosts/**/*.test.ts'], serial),
      project('fronts', ['test/fronts/**/*.test.ts'], serial),
      project('vm', ['test/vm/**/*.test.ts'], {
        ...serial,
        testTimeout: 1_800_000,
        hookTimeout: 1_800_000,
      }),
      project('ui', ['test/ui/**/*.test.ts'], serial),
    ],
  },
})
