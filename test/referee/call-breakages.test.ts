import { callBreakages } from './breakages/calls.ts';
import { reconnectBreakages } from './breakages/reconnects.ts';
import { streamBreakages } from './breakages/streams.ts';
import { shareGoodServer, testBreakages } from './catch-breakages.ts';

testBreakages(shareGoodServer(), [...callBreakages, ...streamBreakages, ...reconnectBreakages]);
