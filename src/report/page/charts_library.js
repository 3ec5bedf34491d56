// SPDX-License-Identifier: GPL-3.0-or-later
// What of ECharts the page needs; bundle.py makes one script of it, which defines `echarts`.
import { use, init } from 'echarts/core';
import { LineChart, BarChart, ScatterChart, HeatmapChart, CustomChart } from 'echarts/charts';
import {
    DataZoomInsideComponent, GridComponent, LegendComponent, MarkAreaComponent, MarkLineComponent, TooltipComponent,
    VisualMapContinuousComponent
} from 'echarts/components';
import { SVGRenderer } from 'echarts/renderers';

use([LineChart, BarChart, ScatterChart, HeatmapChart, CustomChart, DataZoomInsideComponent, GridComponent, LegendComponent,
    MarkAreaComponent, MarkLineComponent, TooltipComponent, VisualMapContinuousComponent, SVGRenderer]);

export { init };
