import type { Play, Step } from '../../src/studio/api.ts';
import type { TestStudio } from './studio-client.ts';

/** A play, and what a person does in it. */
export interface Table {
  readonly id: string;
  ready(): Promise<Play>;
  call(tool: string, input?: object): Promise<Step>;
  play(): Promise<Play>;
}

/** The play of that id. */
export function tableOf(studio: TestStudio, id: string): Table {
  const read = () => studio.ask('GET /api/plays/:play', { play: id });
  const until = async (fits: (play: Play) => boolean): Promise<Play> => {
    const stream = await studio.stream(`play/${id}`);
    try {
      for (;;) {
        await stream.next();
        const play = await read();
        if (fits(play)) return play;
      }
    } finally {
      stream.close();
    }
  };
  return {
    id,
    play: read,
    ready: () => until(({ status }) => status !== 'starting' && status !== 'replaying'),
    async call(tool, input = {}) {
      const { n } = await studio.ask('POST /api/plays/:play/steps', { play: id }, { body: { tool, input } });
      const play = await until(({ steps }) => steps[n]?.status !== 'running');
      return play.steps[n] as Step;
    },
  };
}
