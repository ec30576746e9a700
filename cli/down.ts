import { Command } from 'commander'
import { loadStackSettings } from '../infra/config.ts'
import { stopStack } from '../infra/local/stop.ts'

export const command = () =>
  new Command().action(async () => {
    const home = loadStackSettings().home
    console.log((await stopStack(home, console.log)) ? `stopped the stack in ${home}` : `no stack runs in ${home}`)
  })
