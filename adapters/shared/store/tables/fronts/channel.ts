import type { ChannelStore } from '#handlers/ports/store/hosts/channel-store.ts'
import type { StoreContext } from '../../context.ts'

/** Machines at the web channel. */
export const channelPart = ({ db, write, runBatch }: StoreContext): ChannelStore => ({
  listChannelMachines: () =>
    db.selectFrom('channel_machines').selectAll().orderBy('host_id').execute(),
  async putChannelMachine({ host_id, certificate, address }) {
    await runBatch([
      write.deleteFrom('channel_machines').where('host_id', '=', host_id).compile(),
      write.insertInto('channel_machines').values({ host_id, certificate, address }).compile(),
    ])
  },
  async deleteChannelMachine(hostId) {
    await runBatch([write.deleteFrom('channel_machines').where('host_id', '=', hostId).compile()])
  },
})
