import { chosenBySeed } from './chosen-by-seed.mjs'

/**
 * Long drills that take turns: a run of everything has `keep` files of each group, others in the
 * next run, all of them in `npm run test:all`. What such a file proves for whoever changes it is
 * run by its name, or with its project. In each group every file is about the same part of the
 * product, so that each run has something of every part.
 *
 * @type {readonly { name: string, keep: number, files: readonly string[] }[]}
 */
export const TURNS = [
  {
    name: 'installing, also in the place of another web server',
    keep: 1,
    files: [
      'test/install/commands.test.ts',
      'test/install/install.test.ts',
      'test/node/swap/apache.test.ts',
      'test/node/swap/nginx.test.ts',
    ],
  },
  {
    name: 'deaths of processes',
    keep: 1,
    files: [
      'test/crash/account-import.test.ts',
      'test/crash/backups.test.ts',
      'test/crash/deaths.test.ts',
      'test/crash/real-steps.test.ts',
      'test/crash/recovery.test.ts',
    ],
  },
  {
    name: 'commands with an instance of their own',
    keep: 1,
    files: [
      'test/cli/agent/hosts.test.ts',
      'test/cli/berth.test.ts',
      'test/cli/panel-recovery.test.ts',
      'test/cli/service.test.ts',
      'test/cli/warm.test.ts',
      'test/e2e/store/postgres-store.test.ts',
    ],
  },
  {
    name: 'two installations as two machines',
    keep: 1,
    files: [
      'test/hosts/documented.test.ts',
      'test/hosts/relocate.test.ts',
      'test/hosts/two-machines.test.ts',
    ],
  },
  {
    name: 'copies of the store, and its servers that fail over',
    keep: 1,
    files: [
      'test/node/store/copy.test.ts',
      'test/node/store/failover.test.ts',
      'test/node/store/save-store.test.ts',
    ],
  },
  {
    name: 'several panels whose clocks differ, ways are cut, or server fails over',
    keep: 1,
    files: [
      'test/panels/clocks.test.ts',
      'test/panels/cut-off.test.ts',
      'test/panels/failover.test.ts',
    ],
  },
  {
    name: 'WordPress',
    keep: 2,
    files: [
      'test/e2e/wordpress-htaccess.test.ts',
      'test/e2e/wordpress-kit.test.ts',
      'test/e2e/wordpress-plugin.test.ts',
      'test/e2e/wordpress.test.ts',
      'test/e2e/wordpress/cores.test.ts',
      'test/e2e/wordpress/documented.test.ts',
      'test/e2e/wordpress/extensions.test.ts',
      'test/e2e/wordpress/network.test.ts',
      'test/e2e/wordpress/staging.test.ts',
    ],
  },
  {
    name: 'whole instances',
    keep: 1,
    files: [
      'test/e2e/applications/documented.test.ts',
      'test/e2e/deployed-site.test.ts',
      'test/e2e/disaster-drill.test.ts',
      'test/e2e/imports.test.ts',
      'test/e2e/parallel.test.ts',
      'test/e2e/wikis.test.ts',
    ],
  },
  {
    name: 'long attacks',
    keep: 1,
    files: [
      'test/attack/cache/cache-faults.test.ts',
      'test/attack/community.test.ts',
      'test/attack/figures.test.ts',
      'test/attack/held-up.test.ts',
      'test/attack/panel/backups.test.ts',
      'test/attack/panel/restore-parts.test.ts',
      'test/attack/php-processes.test.ts',
    ],
  },
  {
    name: 'backups with real databases and stores',
    keep: 1,
    files: [
      'test/node/backups/database-copies.test.ts',
      'test/node/backups/foreign-postgresql.test.ts',
      'test/node/backups/remote.test.ts',
      'test/node/backups/restore-parts.test.ts',
      'test/node/backups/snapshots/contract.test.ts',
      'test/node/backups/snapshots/hostile.test.ts',
      'test/node/backups/snapshots/remote.test.ts',
    ],
  },
  {
    name: 'records in PostgreSQL',
    keep: 1,
    files: ['test/cli/recovery/move-store.test.ts', 'test/node/store/panel-store.test.ts'],
  },
  {
    name: 'web servers over one Redis',
    keep: 2,
    files: [
      'test/fronts/spread.test.ts',
      'test/fronts/web-fronts.test.ts',
      'test/node/cache-redis/cluster.test.ts',
      'test/node/cache-redis/failover.test.ts',
      'test/node/cache-redis/instances.test.ts',
      'test/node/cache-redis/strict.test.ts',
    ],
  },
  {
    name: 'applications of accounts',
    keep: 2,
    files: [
      'test/node/applications/instances.test.ts',
      'test/node/applications/lifetimes.test.ts',
      'test/node/applications/submodules.test.ts',
      'test/node/applications/visitors.test.ts',
    ],
  },
  {
    name: 'ways to run PHP',
    keep: 1,
    files: [
      'test/node/php-modes/conformance.test.ts',
      'test/node/php-modes/instance.test.ts',
      'test/node/php-modes/parallel.test.ts',
    ],
  },
  {
    name: 'faults of the host',
    keep: 1,
    files: [
      'test/node/agent/agent.test.ts',
      'test/node/agent/users.test.ts',
      'test/node/cache-disk/combinations.test.ts',
      'test/node/cache-disk/faults.test.ts',
      'test/node/supervisor/supervisor.test.ts',
      'test/node/web-server/cache/shared-memory.test.ts',
    ],
  },
  {
    name: 'screens of a whole instance',
    keep: 1,
    files: [
      'test/ui/instance/database-tool.test.ts',
      'test/ui/instance/entrance.test.ts',
      'test/ui/instance/instance.test.ts',
      'test/ui/instance/plain-http.test.ts',
      'test/ui/instance/real-host.test.ts',
      'test/ui/instance/ssl.test.ts',
      'test/ui/instance/targets.test.ts',
    ],
  },
  {
    name: 'all screens',
    keep: 1,
    files: [
      'test/ui/axe.test.ts',
      'test/ui/keyboard.test.ts',
      'test/ui/lists/focus.test.ts',
      'test/ui/lists/markup-in-names.test.ts',
      'test/ui/people/offers.test.ts',
      'test/ui/spec/screens.test.ts',
      'test/ui/spec/touch-targets.test.ts',
    ],
  },
  {
    name: 'lists',
    keep: 2,
    files: [
      'test/ui/lists/all-accounts.test.ts',
      'test/ui/lists/failures.test.ts',
      'test/ui/lists/keyboard.test.ts',
      'test/ui/lists/lists.test.ts',
      'test/ui/lists/narrow.test.ts',
      'test/ui/lists/new-wanted.test.ts',
      'test/ui/people/roles.test.ts',
    ],
  },
  {
    name: 'one screen',
    keep: 5,
    files: [
      'test/ui/account-page.test.ts',
      'test/ui/accounts.test.ts',
      'test/ui/applications/applications.test.ts',
      'test/ui/backups/backups.test.ts',
      'test/ui/backups/imports.test.ts',
      'test/ui/cache.test.ts',
      'test/ui/charts.test.ts',
      'test/ui/cron/cron.test.ts',
      'test/ui/databases/remote-access.test.ts',
      'test/ui/edit.test.ts',
      'test/ui/figures.test.ts',
      'test/ui/files.test.ts',
      'test/ui/hosts/machines.test.ts',
      'test/ui/hosts/moves.test.ts',
      'test/ui/logs.test.ts',
      'test/ui/mail/mail.test.ts',
      'test/ui/passkeys.test.ts',
      'test/ui/php.test.ts',
      'test/ui/plans.test.ts',
      'test/ui/resellers.test.ts',
      'test/ui/settings.test.ts',
      'test/ui/sftp/sftp.test.ts',
      'test/ui/sites/rules.test.ts',
      'test/ui/sites/wordpress.test.ts',
      'test/ui/ssl.test.ts',
    ],
  },
  {
    name: 'the whole panel',
    keep: 1,
    files: [
      'test/ui/appearance.test.ts',
      'test/ui/first-load.test.ts',
      'test/ui/spec/entrance-and-shell.test.ts',
    ],
  },
  {
    name: 'commands of one subject',
    keep: 3,
    files: [
      'test/cli/admin.test.ts',
      'test/cli/config.test.ts',
      'test/cli/convert.test.ts',
      'test/cli/doctor.test.ts',
      'test/cli/license.test.ts',
      'test/cli/session.test.ts',
      'test/cli/sftp/sftp.test.ts',
      'test/cli/ssl.test.ts',
      'test/cli/targets.test.ts',
    ],
  },
  {
    name: 'orders of certificates',
    keep: 3,
    files: [
      'test/node/certificates/authorities.test.ts',
      'test/node/certificates/auto-renew.test.ts',
      'test/node/certificates/dns-alias.test.ts',
      'test/node/certificates/dns.test.ts',
      'test/node/certificates/orders.test.ts',
      'test/node/certificates/renewal-info.test.ts',
    ],
  },
]

/**
 * Which files of the groups are left out of a run, and a line for each group that says so.
 *
 * @param {string} seed of the run: the same choice each time
 * @param {readonly { name: string, keep: number, files: readonly string[] }[]} [groups]
 * @returns {{ leftOut: Set<string>, samples: string[] }}
 */
export const takeTurns = (seed, groups = TURNS) => {
  /** @type {Set<string>} */
  const leftOut = new Set(groups.flatMap(({ files }) => files))
  const samples = groups.map(({ name, keep, files }) => {
    for (const file of chosenBySeed(seed, name, files, keep, (one) => one)) leftOut.delete(file)
    return `files about ${name}: ${keep} of ${files.length} files, seed ${seed}`
  })
  return { leftOut, samples }
}
