import type { z } from 'zod'
import { joinPanels, NO_PANEL_TOKEN } from '#adapters/node/service/join-panel.ts'
import { parsePanelToken } from '#handlers/domain/hosts/panel-token.ts'
import type { panelsSchema } from '#handlers/panel/hosts/panel-routes.ts'
import { CliError } from '../cli-error.ts'
import type { CommandSpec, LocalSpec } from '../panel/frame/command-types.ts'
import { known } from '../panel/frame/known.ts'
import { api } from '../panel/frame/panel-client.ts'
import { readSecret } from '../read-password.ts'
import { serviceCommand } from '../service/service-parts.ts'
import { printTable } from '../terminal/print-table.ts'
import { printable } from '../terminal/printable.ts'

/** `berth panel list`. */
export const listPanels: CommandSpec = {
  summary: 'show where the records are, and the panels that share them',
  examples: ['berth panel list'],
  order: () => ({
    to: api`GET /api/panels`,
    done(data) {
      const { store, panels } = known<z.output<typeof panelsSchema>>(data, 'store', 'panels')
      if (store !== null)
        console.log(
          `Records: ${store.kind}${store.version === null ? '' : ` ${printable(store.version)}`}, ${printable(store.place)}`,
        )
      printTable(
        panels,
        [
          { title: 'NAME', value: (row) => (row.own ? `${row.name} (this one)` : row.name) },
          { title: 'VERSION', value: (row) => row.version },
          { title: 'STATE', value: (row) => (row.alive ? 'running' : 'gone') },
          { title: 'LAST SEEN', value: (row) => row.seen_at },
          { title: 'ID', value: (row) => row.id },
        ],
        'No other panel shares them.',
      )
    },
  }),
}

/** `berth panel invite`. */
export const invitePanel: CommandSpec = {
  summary: 'let another machine run this panel too; the command to type there is printed once',
  note: 'The records must be in PostgreSQL (berth panel move-store), and the panel be reached by TLS. The token counts once, for 15 minutes. Whoever has it gets the key of all sessions and the way to the records: pass it on as a secret.',
  args: [['<address>', 'host:port of this very panel, as the other machine reaches it']],
  examples: ['berth panel invite 192.0.2.10:7070'],
  order: ({ args: [address] }) => ({
    to: api`POST /api/panels/invitations`,
    body: { address },
    done: (data) =>
      console.log(`berth panel join ${known<{ token: string }>(data, 'token').token}`),
  }),
}

/** `berth panel join`. */
export const joinPanel: LocalSpec = serviceCommand({
  summary: 'run the panel of another machine here too, over the same records',
  note: 'Without a token it is read from standard input. Berth is stopped for it and started again, if it ran. The key of sessions, the password of the store and the certificates of its authority are written below [paths] secrets_dir, readable by the panel alone. The panel here must have no accounts yet.',
  args: [['[token]', 'as "berth panel invite" printed it at the other panel']],
  examples: ['berth panel join', 'berth panel join berth-panel-1.eyJ2Ijox...'],
  async act({ manager, config, args, print }) {
    const token = args[0] || (await readSecret('Token: '))
    // Before Berth is stopped for it.
    if (parsePanelToken(token) === null) throw new CliError(NO_PANEL_TOKEN)
    const ran = await manager.stop()
    let joined: Awaited<ReturnType<typeof joinPanels>>
    try {
      joined = await joinPanels(config, token)
    } catch (error) {
      if (ran) await manager.start()
      throw new CliError(error instanceof Error ? error.message : String(error))
    }
    if (ran) await manager.start()
    print({ ...joined, started: ran }, () => {
      console.log(`This panel is ${joined.panel} now and shares ${printable(joined.store)}.`)
      if (joined.differs.length > 0)
        console.log(`Other than at the panel that was asked: ${joined.differs.join(', ')}.`)
      console.log(ran ? 'Berth runs again.' : 'Next: berth service start')
    })
  },
})
