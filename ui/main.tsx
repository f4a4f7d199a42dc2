import './styles/index.css';
import { createRoot } from 'react-dom/client';
import { App } from './app/app.tsx';
import { enter, enterAgainWhenAsked } from './app/enter.ts';
import { applyTheme, readThemeChoice } from './parts/theme.ts';

void enter();
enterAgainWhenAsked();
applyTheme(readThemeChoice());
const place = document.getElementById('studio');
if (place !== null) createRoot(place).render(<App />);
