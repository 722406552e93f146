// Starts the program under test (TIDEGATE) as simulated provider and as gateway, and ends what it
// started.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export class Program {
  #directory = mkdtempSync(join(tmpdir(), 'tidegate-clients-'));
  #children = [];

  file(name) {
    return join(this.#directory, name);
  }

  /** The simulated provider with this script; its address. */
  async sim(script) {
    writeFileSync(this.file('sim.yaml'), script);
    return this.#start('sim', '--script', this.file('sim.yaml'), '--port', '0');
  }

  /** A gateway with this configuration; its address. */
  async gateway(name, config) {
    writeFileSync(this.file(`${name}.yaml`), config);
    return this.#start('serve', '--config', this.file(`${name}.yaml`));
  }

  async stop() {
    await Promise.all(this.#children.map((child) => new Promise((ended) => {
      child.removeAllListeners('exit');
      child.on('exit', ended);
      child.kill('SIGTERM');
    })));
    rmSync(this.#directory, { recursive: true, force: true });
  }

  #start(...args) {
    return new Promise((resolve, reject) => {
      const child = spawn(process.env.TIDEGATE, args, { stdio: ['ignore', 'pipe', 'pipe'] });
      this.#children.push(child);
      let seen = '';
      const look = (chunk) => {
        seen += chunk;
        const found = seen.match(/listening on (http:\/\/\S+)/);
        if (found) resolve(found[1]);
      };
      child.stdout.on('data', look);
      child.stderr.on('data', (chunk) => { seen += chunk; });
      child.on('exit', (code) => reject(new Error(`${args[0]} ended with ${code}: ${seen}`)));
    });
  }
}
